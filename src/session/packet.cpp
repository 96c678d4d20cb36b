#include "session/packet.h"

#include <bit>
#include <cstring>

#include "io/scene/json_text.h"
#include "io/scene/object_reader.h"
#include "supple/error.h"

namespace supple {

using nlohmann::ordered_json;

// Arrays are copied exactly as they lie in memory.
static_assert(std::endian::native == std::endian::little, "packets are little endian");

namespace {

constexpr std::string_view magic = "SPL1";
constexpr std::size_t prefix = 8;  // bytes before the header
constexpr std::size_t grid = 8;    // what offsets are multiples of

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::invalid_input, "packet", message);
}

std::size_t size_of(const std::string& type) {
  if (type == "float32" || type == "uint32") return 4;
  return type == "float64" ? 8 : 1;
}

std::size_t padding(std::size_t size) { return (grid - size % grid) % grid; }

}  // namespace

// ------------------------------------------------------------------------------------- writing

void PacketWriter::add(std::string name, const char* type, std::size_t count,
                       std::span<const std::byte> bytes) {
  payload_.append(padding(payload_.size()), '\0');
  arrays_.push_back({std::move(name), type, payload_.size(), count});
  payload_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void PacketWriter::add(std::string name, std::span<const float> values) {
  add(std::move(name), "float32", values.size(), std::as_bytes(values));
}
void PacketWriter::add(std::string name, std::span<const double> values) {
  add(std::move(name), "float64", values.size(), std::as_bytes(values));
}
void PacketWriter::add(std::string name, std::span<const std::uint32_t> values) {
  add(std::move(name), "uint32", values.size(), std::as_bytes(values));
}
void PacketWriter::add(std::string name, std::string_view bytes) {
  add(std::move(name), "uint8", bytes.size(), std::as_bytes(std::span(bytes.data(), bytes.size())));
}

std::string PacketWriter::finish() const {
  ordered_json header = header_;
  ordered_json& arrays = header["arrays"] = ordered_json::array();
  for (const Array& array : arrays_) {
    arrays.push_back({{"name", array.name},
                      {"type", array.type},
                      {"offset", array.offset},
                      {"count", array.count}});
  }
  std::string text = header.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  text.append(padding(prefix + text.size()), ' ');
  std::string packet(magic);
  for (int shift = 0; shift < 32; shift += 8) {
    packet += static_cast<char>((text.size() >> shift) & 0xFF);
  }
  packet.reserve(prefix + text.size() + payload_.size());
  packet += text;
  packet += payload_;
  return packet;
}

// ------------------------------------------------------------------------------------- reading

Packet::Packet(std::span<const std::byte> bytes) {
  if (bytes.size() < prefix || std::memcmp(bytes.data(), magic.data(), magic.size()) != 0) {
    refuse("does not begin with SPL1 and the length of its header");
  }
  std::size_t length = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    length |= std::to_integer<std::size_t>(bytes[magic.size() + i]) << (8 * i);
  }
  if (length > largest_packet_header || length > bytes.size() - prefix) {
    refuse("the header has " + std::to_string(length) + " bytes: expected at most " +
           std::to_string(std::min(largest_packet_header, bytes.size() - prefix)));
  }
  if ((prefix + length) % grid != 0) refuse("the payload does not begin at a multiple of 8 bytes");
  header_ = parse_json({reinterpret_cast<const char*>(bytes.data()) + prefix, length}, "packet");
  if (!header_.is_object()) refuse("expected an object {...} as its header");
  const std::span<const std::byte> payload = bytes.subspan(prefix + length);
  const auto arrays = header_.find("arrays");
  if (arrays == header_.end()) return;
  if (!arrays->is_array()) refuse("expected a list as /arrays");
  if (arrays->size() > most_packet_arrays) {
    refuse("more than " + std::to_string(most_packet_arrays) + " arrays");
  }
  // If arrays could share bytes, a small packet could ask for much memory.
  std::size_t left = payload.size();
  for (std::size_t i = 0; i < arrays->size(); ++i) read_array((*arrays)[i], i, payload, left);
  header_.erase("arrays");
}

void Packet::read_array(const ordered_json& entry, std::size_t index,
                        std::span<const std::byte> payload, std::size_t& left) {
  ObjectReader reader(entry, "packet", "/arrays/" + std::to_string(index));
  constexpr long long most = 1LL << 40;
  const std::string name = reader.text("name");
  const std::string type =
      reader.choice("type", "type of numbers", {"float32", "float64", "uint32", "uint8"});
  const auto offset = static_cast<std::size_t>(reader.whole("offset", 0, most));
  const auto count = static_cast<std::size_t>(reader.whole("count", 0, most));
  reader.finish();
  const std::size_t size = count * size_of(type);
  if (offset % grid != 0) reader.fail("offset", "expected a multiple of 8");
  if (offset > payload.size() || size > payload.size() - offset) {
    reader.fail("ends after the packet, whose payload has " + std::to_string(payload.size()) +
                " bytes");
  }
  if (size > left) reader.fail("shares bytes with another array");
  left -= size;
  if (!arrays_.emplace(name, Array{type, payload.subspan(offset, size)}).second) {
    reader.fail("name", "there are two arrays of this name");
  }
}

const Packet::Array& Packet::find(const std::string& name, const std::string& type) const {
  const auto found = arrays_.find(name);
  if (found == arrays_.end()) refuse("there is no array '" + pointer_step(name) + "'");
  if (found->second.type != type) {
    refuse("the array '" + pointer_step(name) + "' has the type " + found->second.type +
           "; expected " + type);
  }
  return found->second;
}

std::string_view Packet::bytes(const std::string& name) const {
  const Array& array = find(name, "uint8");
  return {reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size()};
}

std::vector<double> Packet::numbers(const std::string& name) const {
  const Array& array = find(name, "float64");
  std::vector<double> values(array.bytes.size() / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return values;
}

}  // namespace supple
