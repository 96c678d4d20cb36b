#pragma once

#include "io/exports/frame_source.h"
#include "render/image.h"
#include "render/scene_view.h"

namespace supple {

/// What pictures of a motion show: its bodies and colliders, and the box that contains the surfaces
/// at all times (checked in at most 256 frames, evenly chosen). The source must be checked.
ViewedScene viewed_scene(const FrameSource& source);

/// A contact sheet of eight frames, evenly chosen from the first to the last, with number and time;
/// all frames if there are fewer. `threads`: see Threads.
Image preview(const FrameSource& source, int threads = 1);

/// `count` whole numbers from 0 to last, evenly spread, each once.
std::vector<int> evenly(int last, int count);

}  // namespace supple
