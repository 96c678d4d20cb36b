#include "session/packet.h"

#include <gtest/gtest.h>

#include "supple/error.h"

namespace supple {
namespace {

std::string some_packet() {
  PacketWriter writer;
  writer.header()["is"] = "frame";
  writer.header()["arrays"] = "overwritten";
  writer.add("bytes", "abc");
  const std::vector<double> numbers{1.5, -2, 0.1};
  writer.add("numbers", std::span<const double>(numbers));
  writer.add("nothing", std::span<const float>());
  return writer.finish();
}

std::string packet_of(const std::string& header, std::size_t payload = 16) {
  std::string text = header;
  while ((8 + text.size()) % 8 != 0) text += ' ';
  std::string packet = "SPL1";
  for (int shift = 0; shift < 32; shift += 8) packet += static_cast<char>(text.size() >> shift);
  return packet + text + std::string(payload, 'x');
}

std::string error_of(const std::string& packet) {
  try {
    const Packet read(std::as_bytes(std::span(packet)));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    return error.what();
  }
  return "";
}

TEST(Packet, IsReadAsItWasWritten) {
  const std::string bytes = some_packet();
  const Packet packet(std::as_bytes(std::span(bytes)));
  EXPECT_EQ(packet.header()["is"], "frame");
  EXPECT_FALSE(packet.header().contains("arrays"));
  EXPECT_EQ(packet.bytes("bytes"), "abc");
  EXPECT_EQ(packet.numbers("numbers"), (std::vector<double>{1.5, -2, 0.1}));
  EXPECT_TRUE(packet.has("nothing"));
  EXPECT_FALSE(packet.has("other"));
  EXPECT_THROW((void)packet.bytes("numbers"), Error);
  EXPECT_THROW((void)packet.numbers("other"), Error);
}

TEST(Packet, ItsPayloadAndArraysBeginAtMultiplesOfEight) {
  for (std::size_t length = 0; length < 20; ++length) {
    PacketWriter writer;
    writer.header()["text"] = std::string(length, 'a');
    writer.add("odd", std::string(length, 'b'));
    const std::vector<double> numbers{3};
    writer.add("numbers", std::span<const double>(numbers));
    const std::string bytes = writer.finish();
    const Packet packet(std::as_bytes(std::span(bytes)));
    EXPECT_EQ(packet.numbers("numbers"), numbers);
    EXPECT_EQ(packet.bytes("odd"), std::string(length, 'b'));
  }
}

TEST(Packet, EveryBeginningOfAPacketIsRefused) {
  const std::string whole = some_packet();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(error_of(whole.substr(0, length)), "") << length;
  }
  EXPECT_EQ(error_of(whole), "");
}

TEST(Packet, WhatIsWrongWithAHeaderIsSaid) {
  const auto array = [](const std::string& entry) {
    return error_of(packet_of(R"({"arrays":[)" + entry + "]}"));
  };
  EXPECT_EQ(array(R"({"name":"a","type":"uint8","offset":8,"count":8})"), "");
  EXPECT_NE(array(R"({"name":"a","type":"uint8","offset":8,"count":9})").find("ends after"),
            std::string::npos);
  EXPECT_NE(array(R"({"name":"a","type":"uint8","offset":4,"count":1})").find("multiple of 8"),
            std::string::npos);
  EXPECT_NE(array(R"({"name":"a","type":"float64","offset":0,"count":1099511627776})"), "");
  EXPECT_NE(array(R"({"name":"a","type":"float64","offset":1099511627776,"count":0})"), "");
  EXPECT_NE(array(R"({"name":"a","type":"int8","offset":0,"count":1})").find("uint8"),
            std::string::npos);
  EXPECT_NE(array(R"({"name":"a","type":"uint8","offset":0,"count":-1})"), "");
  EXPECT_NE(array(R"({"name":"a","type":"uint8","offset":0,"count":1,"more":1})"), "");
  EXPECT_NE(array(R"({"name":"a","type":"uint8","offset":0,"count":1},
                     {"name":"a","type":"uint8","offset":8,"count":1})")
                .find("two arrays"),
            std::string::npos);
  EXPECT_NE(array(R"({"name":"a","type":"uint8","offset":0,"count":16},
                     {"name":"b","type":"uint8","offset":0,"count":1})")
                .find("shares"),
            std::string::npos);
  EXPECT_NE(error_of(packet_of("[]")), "");
  EXPECT_NE(error_of(packet_of(R"({"arrays":{}})")), "");
  EXPECT_NE(error_of(packet_of("{")), "");
  EXPECT_NE(error_of("SPL2" + packet_of("{}").substr(4)), "");
  std::string longer = packet_of("{}");
  longer[7] = '\x7f';
  EXPECT_NE(error_of(longer).find("expected at most"), std::string::npos);
  std::string off_grid = packet_of("{} ");
  off_grid[4] = 3;
  EXPECT_NE(error_of(off_grid), "");
}

}  // namespace
}  // namespace supple
