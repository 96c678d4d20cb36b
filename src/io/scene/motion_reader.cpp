#include "io/scene/readers.h"
#include "math/motion.h"

namespace supple {

namespace {

struct ReadKeyframe {
  Keyframe keyframe;
  bool turns = false;
};

ReadKeyframe read_keyframe(ObjectReader& reader) {
  ReadKeyframe read;
  Keyframe& key = read.keyframe;
  reader.expect({"time", "translate", "rotate"});
  key.time = reader.number("time", any_number("s"));
  key.translate = reader.vector("translate", any_number("m"), key.translate);
  read.turns = reader.optional_object("rotate", [&](ObjectReader& rotate) {
    rotate.expect({"axis", "center", "degrees"});
    key.axis = rotate.direction("axis");
    key.center = rotate.vector("center", any_number("m"), key.center);
    key.degrees = rotate.number("degrees", any_number("degrees"));
  });
  return read;
}

/// Keyframes that do not turn take the axis of one that does: of the last such keyframe before
/// them, or else of the first after them. The axis must not swing between keyframes.
std::vector<Keyframe> with_axes(const std::vector<ReadKeyframe>& read) {
  const Keyframe* turning = nullptr;
  for (const ReadKeyframe& key : read) {
    if (key.turns && turning == nullptr) turning = &key.keyframe;
  }
  std::vector<Keyframe> keyframes;
  for (const ReadKeyframe& key : read) {
    if (key.turns) turning = &key.keyframe;
    keyframes.push_back(key.keyframe);
    if (turning == nullptr) continue;
    keyframes.back().axis = turning->axis;
    keyframes.back().center = turning->center;
  }
  return keyframes;
}

}  // namespace

Motion read_motion(ObjectReader& reader) {
  Motion motion;
  reader.optional_object("rotate", [&](ObjectReader& rotate) {
    Rotation& rotation = motion.rotate.emplace();
    rotate.expect({"axis", "center", "degrees_per_second"});
    rotation.axis = rotate.direction("axis");
    rotation.center = rotate.vector("center", any_number("m"), rotation.center);
    rotation.degrees_per_second = rotate.number("degrees_per_second", any_number("degrees/s"));
  });
  reader.optional_object("translate", [&](ObjectReader& translate) {
    translate.expect({"velocity"});
    motion.velocity = translate.vector("velocity", any_number("m/s"));
  });
  std::vector<ReadKeyframe> keyframes;
  reader.each("keyframes",
              [&](ObjectReader& keyframe) { keyframes.push_back(read_keyframe(keyframe)); });
  motion.keyframes = with_axes(keyframes);
  motion.repeat = reader.boolean("repeat", false);
  if (const std::string fault = validate(motion); !fault.empty()) reader.fail(fault);
  return motion;
}

TimedNumber read_timed_number(ObjectReader& reader, const char* key, const Range& range,
                              std::optional<double> fallback) {
  if (!reader.is_object(key)) return reader.number(key, range, fallback);
  TimedNumber number;
  reader.object(key, [&](ObjectReader& timed) {
    timed.expect({"keyframes", "repeat"});
    timed.each("keyframes", [&](ObjectReader& keyframe) {
      keyframe.expect({"time", "value"});
      const double time = keyframe.number("time", any_number("s"));
      number.keyframes.emplace_back(time, keyframe.number("value", range));
    });
    if (number.keyframes.empty()) timed.fail("keyframes", "expected at least one keyframe");
    number.repeat = timed.boolean("repeat", false);
    if (const std::string fault = validate(number, range.low, range.high); !fault.empty()) {
      timed.fail(fault);
    }
  });
  return number;
}

}  // namespace supple
