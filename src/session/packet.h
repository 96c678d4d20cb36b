#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Packets: JSON followed by arrays of numbers (docs/viewer_protocol.md). Little endian: "SPL1",
/// uint32 H, H bytes of JSON padded with spaces so that 8 + H is a multiple of 8, payload.
namespace supple {

inline constexpr std::size_t largest_packet_header = std::size_t{4} << 20;  // bytes
inline constexpr std::size_t most_packet_arrays = 1024;

/// Builds a packet. The writer sets the header's key "arrays".
class PacketWriter {
 public:
  PacketWriter() : header_(nlohmann::ordered_json::object()) {}
  explicit PacketWriter(nlohmann::ordered_json header) : header_(std::move(header)) {}

  nlohmann::ordered_json& header() { return header_; }

  void add(std::string name, std::span<const float> values);
  void add(std::string name, std::span<const double> values);
  void add(std::string name, std::span<const std::uint32_t> values);
  void add(std::string name, std::string_view bytes);  ///< uint8

  std::string finish() const;

 private:
  struct Array {
    std::string name;
    const char* type;
    std::size_t offset, count;
  };
  void add(std::string name, const char* type, std::size_t count, std::span<const std::byte> bytes);

  nlohmann::ordered_json header_;
  std::vector<Array> arrays_;
  std::string payload_;
};

/// A received packet. It points into the bytes that it was read from.
class Packet {
 public:
  /// Throws Error{invalid_input} at "packet" if the bytes are not a packet: they begin wrongly, the
  /// header is longer than the bytes or than `largest_packet_header` or is not a JSON object, or
  /// arrays have an unknown type, reach beyond the end, do not start at a multiple of 8 bytes,
  /// share a name or are together larger than the payload.
  explicit Packet(std::span<const std::byte> bytes);

  /// Without "arrays".
  const nlohmann::ordered_json& header() const { return header_; }
  nlohmann::ordered_json& header() { return header_; }

  bool has(const std::string& name) const { return arrays_.count(name) != 0; }
  /// An array of uint8. Throws Error{invalid_input} if there is none with this name and type.
  std::string_view bytes(const std::string& name) const;
  /// An array of float64, copied. Throws like `bytes`.
  std::vector<double> numbers(const std::string& name) const;

 private:
  struct Array {
    std::string type;
    std::span<const std::byte> bytes;
  };
  const Array& find(const std::string& name, const std::string& type) const;
  void read_array(const nlohmann::ordered_json& entry, std::size_t index,
                  std::span<const std::byte> payload, std::size_t& left);

  nlohmann::ordered_json header_;
  std::map<std::string, Array> arrays_;
};

}  // namespace supple
