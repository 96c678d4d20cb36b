#pragma once

#include "session/session_state.h"

/// The commands, and the functions that their files share.
namespace supple {

/// Reads all keys and ends with keys.finish() before it changes anything. If it throws Error,
/// nothing has changed.
using Handler = Answer (*)(SessionState&, Command&, ObjectReader&);

/// The same for a command whose work is done beside the steps.
using Beginner = Work (*)(SessionState&, Command&, ObjectReader&);

// commands.cpp
Answer do_cancel(SessionState& s, Command& command, ObjectReader& keys);
/// The value of a key that is read by hand, removed from the command. Throws Error{invalid_input}
/// if it is missing.
ordered_json take_raw(Command& command, const char* key);

// describing.cpp
/// null for values that JSON cannot represent (infinity, NaN).
ordered_json number_or_null(double value);

// playing.cpp
Answer do_play(SessionState& s, Command& command, ObjectReader& keys);
Answer do_pause(SessionState& s, Command& command, ObjectReader& keys);
Answer do_step(SessionState& s, Command& command, ObjectReader& keys);
Answer do_speed(SessionState& s, Command& command, ObjectReader& keys);
Work begin_reset(SessionState& s, Command& command, ObjectReader& keys);
Answer do_show(SessionState& s, Command& command, ObjectReader& keys);
/// To be called when there are more vertices. Those that hands hold keep their numbers in their
/// bodies.
void end_separation(SessionState& s);

// settings.cpp
Work begin_open(SessionState& s, Command& command, ObjectReader& keys);
Work begin_set(SessionState& s, Command& command, ObjectReader& keys);
Work begin_undo(SessionState& s, Command& command, ObjectReader& keys);
Work begin_redo(SessionState& s, Command& command, ObjectReader& keys);

/// The setup with the given values inserted and whatever conflicts with them replaced. Throws like
/// read_setup, and then nothing has changed.
SetupPointer with_values(std::size_t max_tets, SceneOrigin& origin, const Setup& setup,
                         const ordered_json& values);

// pulling.cpp
Answer do_grab(SessionState& s, Command& command, ObjectReader& keys);
Answer do_drag(SessionState& s, Command& command, ObjectReader& keys);
Answer do_release(SessionState& s, Command& command, ObjectReader& keys);

// pins.cpp
Answer do_pin(SessionState& s, Command& command, ObjectReader& keys);
Answer do_unpin(SessionState& s, Command& command, ObjectReader& keys);
Answer do_handle(SessionState& s, Command& command, ObjectReader& keys);
Answer do_collider(SessionState& s, Command& command, ObjectReader& keys);
/// Gives the simulation the colliders for the step that ends at `end`.
void use_colliders(SessionState& s, double end);

// knife.cpp
Answer do_cut(SessionState& s, Command& command, ObjectReader& keys);

// shaping.cpp
Answer do_squash(SessionState& s, Command& command, ObjectReader& keys);
Answer do_randomise(SessionState& s, Command& command, ObjectReader& keys);
Answer do_stretch(SessionState& s, Command& command, ObjectReader& keys);

// colours.cpp
/// Computes the colours of the frame and returns what the frame says about them.
ordered_json colour_json(SessionState& s);
std::vector<std::string> colour_names();
ordered_json colour_list();

// forces.cpp
/// Adds the forces of contacts and pins to a frame if any client wants them.
void add_forces(SessionState& s, PacketWriter& packet);

// converged.cpp
Work begin_convergence(SessionState& s, Command& command, ObjectReader& keys);
Work begin_race(SessionState& s, Command& command, ObjectReader& keys);
Answer do_end_race(SessionState& s, Command& command, ObjectReader& keys);
/// Throws Error{invalid_input} if this scene does not have the colour.
void check_colour(const SessionState& s, const std::string& colour);
/// Distance of each vertex of the newest frame to its converged step, m.
std::vector<float> error_colours(const SessionState& s);

/// Called before and after each step, for everything that observes the simulation.
void before_step(SessionState& s);
void after_step(SessionState& s);
/// Called when positions have changed without a step.
void after_jump(SessionState& s);

// recording.cpp
Answer do_record(SessionState& s, Command& command, ObjectReader& keys);
Answer do_export(SessionState& s, Command& command, ObjectReader& keys);
/// Called when a frame has been simulated.
void record_frame(SessionState& s);
/// Ends the recording, if there is one, and tells the clients `why`.
void end_recording(SessionState& s, const std::string& why);
/// Called when something has come apart: the lanes of a race would have different vertices from
/// then on.
void end_race_apart(SessionState& s);

// keeping.cpp
Answer do_save(SessionState& s, Command& command, ObjectReader& keys);
Work begin_load(SessionState& s, Command& command, ObjectReader& keys);

// drops.cpp
/// The origin of a scene or a mesh whose files came with a packet.
std::unique_ptr<SceneOrigin> origin_of_files(const ordered_json& list, const Packet& packet,
                                             const std::string& command);
SceneOrigin::Files read_files(const ordered_json& list, const Packet& packet,
                              const std::string& command);

// describing.cpp
Answer do_describe_material(SessionState& s, Command& command, ObjectReader& keys);

// adapt.cpp
/// The material at /bodies/b/material, /bodies/b/layers/l or /bodies/b/regions/r/material; null if
/// there is no such material.
const MaterialSettings* find_material(const Scene& scene, const std::string& pointer);

}  // namespace supple
