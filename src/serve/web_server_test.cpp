#include "serve/web_server.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "serve/test_client.h"
#include "supple/error.h"

namespace supple {
namespace {

using std::chrono::milliseconds;
using test::Answer;
using test::TestClient;

/// A folder with a page, a secret beside it and a link to that secret; a server of the page.
class WebServerTest : public ::testing::Test {
 protected:
  WebServerTest() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = std::filesystem::temp_directory_path() /
            ("supple_serve_" + std::to_string(::getpid()) + "_" + info->name());
    write("page/index.html", "<!doctype html>");
    write("page/assets/index-Abc_1-9z.js", "let a;");
    write("page/engine/supple.wasm", std::string("\0asm", 4));
    write("page/.hidden", "secret");
    write("pictures/bar.png", "png");
    write("secret.txt", "secret");
    std::filesystem::create_symlink(root_ / "secret.txt", root_ / "page/link.txt");
    std::filesystem::create_directory_symlink(root_, root_ / "page/up");
    options_.mounts = {{"/", root_ / "page"}, {"/scenes/", root_ / "pictures"}};
    options_.documents = {{"/engine.json", "{}"}};
  }
  ~WebServerTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name, std::ios::binary) << text;
  }

  std::filesystem::path root_;
  ServerOptions options_;
};

TEST_F(WebServerTest, ServesFilesWithTheirTypesOverOneConnection) {
  const WebServer server(options_);
  TestClient client(server.port());
  struct Case {
    const char* target;
    const char* type;
    std::string body;
  };
  for (const Case& c :
       std::vector<Case>{{"/", "text/html; charset=utf-8", "<!doctype html>"},
                         {"/index.html?a=b", "text/html; charset=utf-8", "<!doctype html>"},
                         {"/assets/index-Abc_1-9z.js", "text/javascript; charset=utf-8", "let a;"},
                         {"/engine/supple.wasm", "application/wasm", std::string("\0asm", 4)},
                         {"/scenes/bar.png", "image/png", "png"},
                         {"/scenes/b%61r.png", "image/png", "png"},
                         {"/engine.json?x", "application/json", "{}"}}) {
    SCOPED_TRACE(c.target);
    const Answer answer = client.get(c.target);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.header("Content-Type"), c.type);
    EXPECT_EQ(answer.body, c.body);
    EXPECT_EQ(answer.header("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(answer.header("Cross-Origin-Opener-Policy"), "same-origin");
    EXPECT_EQ(answer.header("Cross-Origin-Embedder-Policy"), "require-corp");
    EXPECT_NE(answer.header("Content-Security-Policy").find("script-src 'self'"),
              std::string::npos);
  }
  EXPECT_EQ(client.get("/").header("Cache-Control"), "private, no-cache");
  EXPECT_EQ(client.get("/assets/index-Abc_1-9z.js").header("Cache-Control"),
            "private, max-age=31536000, immutable");
}

TEST_F(WebServerTest, ALargeFileArrivesWhole) {
  std::string bytes(3'000'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * i >> 7);
  write("page/large.map", bytes);
  const WebServer server(options_);
  TestClient client(server.port());
  EXPECT_EQ(client.get("/large.map").body, bytes);
  EXPECT_EQ(client.get("/").status, 200);
}

TEST_F(WebServerTest, HeadHasTheSizeAndNoBody) {
  const WebServer server(options_);
  TestClient client(server.port());
  const std::string host = "\r\nHost: localhost:" + std::to_string(server.port()) + "\r\n\r\n";
  client.send("HEAD / HTTP/1.1" + host);
  const Answer head = client.answer(false);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("Content-Length"), "15");
  client.send("HEAD /none HTTP/1.1" + host);
  EXPECT_EQ(client.answer(false).status, 404);
  EXPECT_EQ(client.get("/").body, "<!doctype html>");
}

TEST_F(WebServerTest, NothingOutsideItsFoldersIsServed) {
  const WebServer server(options_);
  TestClient client(server.port());
  for (const char* const target : {"/../secret.txt",
                                   "/%2e%2e/secret.txt",
                                   "/..%2fsecret.txt",
                                   "/..%5csecret.txt",
                                   "/assets/../../secret.txt",
                                   "/scenes/../secret.txt",
                                   "/%252e%252e/secret.txt",
                                   "/link.txt",
                                   "/up/secret.txt",
                                   "/.hidden",
                                   "/%2ehidden",
                                   "/assets",
                                   "/assets/",
                                   "/scenes",
                                   "/scenes/",
                                   "//index.html",
                                   "/index.html/",
                                   "/index.html%00.png",
                                   "/none",
                                   "/%",
                                   "/%4",
                                   "/%zz",
                                   "/./index.html",
                                   "/scenes//bar.png"}) {
    SCOPED_TRACE(target);
    const Answer answer = client.get(target);
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(answer.body, "There is no such file.\n");
  }
}

TEST_F(WebServerTest, OnlyGetAndHeadAreKnown) {
  const WebServer server(options_);
  const std::string host = "Host: localhost:" + std::to_string(server.port()) + "\r\n";
  for (const std::string method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "FOO"}) {
    SCOPED_TRACE(method);
    TestClient client(server.port());
    client.send(method + " / HTTP/1.1\r\n" + host + "Content-Length: 3\r\n\r\nabc");
    const Answer answer = client.answer();
    EXPECT_EQ(answer.status, 405);
    EXPECT_EQ(answer.header("Allow"), "GET, HEAD");
    EXPECT_TRUE(client.is_closed());
  }
  TestClient client(server.port());
  client.send("GET / HTTP/1.1\r\n" + host + "Content-Length: 3\r\n\r\nabc");
  EXPECT_EQ(client.answer().status, 400);
}

TEST_F(WebServerTest, AnotherHostIsRefused) {
  const WebServer server(options_);
  const std::string port = std::to_string(server.port());
  const auto status = [&](const std::string& hosts) {
    TestClient client(server.port());
    client.send("GET / HTTP/1.1\r\n" + hosts + "\r\n");
    return client.answer().status;
  };
  for (const std::string good : {"localhost:", "LocalHost:", "127.0.0.1:", "[::1]:"}) {
    EXPECT_EQ(status("Host: " + good + port + "\r\n"), 200) << good;
  }
  for (const std::string& bad :
       {"evil.example:" + port, std::string("localhost"), std::string("localhost:1"),
        std::string(""), "127.0.0.2:" + port, "localhost.evil.example:" + port,
        "localhost:" + port + ".evil.example", "[::1]." + port, "192.168.1.2:" + port}) {
    EXPECT_EQ(status("Host: " + bad + "\r\n"), 421) << bad;
  }
  EXPECT_EQ(status(""), 400);
  EXPECT_EQ(status("Host: localhost:" + port + "\r\nHost: evil.example\r\n"), 400);
}

TEST_F(WebServerTest, TheTokenIsWantedAndKeptByACookie) {
  options_.token = "0123456789abcdef-_XY";
  const WebServer server(options_);
  const std::string token = options_.token;
  const std::string port = std::to_string(server.port());
  EXPECT_EQ(server.url("127.0.0.1"), "http://127.0.0.1:" + port + "/?token=" + token);
  const auto get = [&server](const std::string& target, const std::string& headers = "") {
    return TestClient(server.port()).get(target, headers);
  };
  EXPECT_EQ(get("/").status, 401);
  EXPECT_EQ(get("/?token=").status, 401);
  EXPECT_EQ(get("/?token=0123456789abcdef-_Xy").status, 401);
  EXPECT_EQ(get("/?token=" + token + "0").status, 401);
  EXPECT_EQ(get("/?token=" + token.substr(1)).status, 401);
  EXPECT_EQ(get("/", "Cookie: other=" + token + "\r\n").status, 401);
  const Answer first = get("/?a=b&token=" + token);
  EXPECT_EQ(first.status, 200);
  const std::string cookie = first.header("Set-Cookie");
  EXPECT_EQ(cookie, "supple_" + port + "=" + token + "; Path=/; HttpOnly; SameSite=Strict");
  const std::string kept = "Cookie: a=b; " + cookie.substr(0, cookie.find(';')) + "\r\n";
  const Answer second = get("/assets/index-Abc_1-9z.js", kept);
  EXPECT_EQ(second.status, 200);
  EXPECT_EQ(second.header("Set-Cookie"), "");

  EXPECT_EQ(TestClient(server.port()).upgrade("/session"), 401);
  EXPECT_EQ(TestClient(server.port()).upgrade("/session?token=wrong"), 401);
  EXPECT_EQ(TestClient(server.port()).upgrade("/session?token=" + token), 101);
  EXPECT_EQ(TestClient(server.port()).upgrade("/session", kept), 101);
}

TEST_F(WebServerTest, AnAddressThatOthersReachMakesUpAToken) {
  options_.address = "0.0.0.0";
  options_.hosts = {"My-Machine"};
  std::set<std::string> urls;
  for (int i = 0; i < 2; ++i) {
    const WebServer server(options_);
    const std::string url = server.url("x");
    const std::string token = url.substr(url.find("?token=") + 7);
    EXPECT_EQ(token.size(), 32U);
    urls.insert(token);
    EXPECT_EQ(TestClient(server.port()).get("/").status, 401);
    TestClient client(server.port());
    EXPECT_EQ(client.get("/?token=" + token).status, 200);
    const auto status = [&](const std::string& host) {
      client.send("GET /?token=" + token + " HTTP/1.1\r\nHost: " + host + ":" +
                  std::to_string(server.port()) + "\r\n\r\n");
      return client.answer().status;
    };
    EXPECT_EQ(status("my-machine"), 200);
    EXPECT_EQ(status("192.168.1.2"), 200);
    EXPECT_EQ(status("[fe80::1]"), 200);
    // The server closes after a refusal, so this comes last.
    EXPECT_EQ(status("evil.example"), 421);
  }
  EXPECT_EQ(urls.size(), 2U);
}

TEST_F(WebServerTest, WrongOptionsAreErrors) {
  const auto kind_of = [this](auto change) {
    ServerOptions options = options_;
    change(options);
    try {
      const WebServer server(options);
    } catch (const Error& error) {
      return std::optional(error.kind());
    }
    return std::optional<ErrorKind>();
  };
  using Options = ServerOptions;
  EXPECT_EQ(kind_of([](Options&) {}), std::nullopt);
  EXPECT_EQ(kind_of([](Options& o) { o.address = "nowhere"; }), ErrorKind::invalid_input);
  EXPECT_EQ(kind_of([](Options& o) { o.address = "192.0.2.1"; }), ErrorKind::invalid_input);
  EXPECT_EQ(kind_of([](Options& o) { o.token = "short"; }), ErrorKind::invalid_input);
  EXPECT_EQ(kind_of([](Options& o) { o.token = "0123456789abcdef;"; }), ErrorKind::invalid_input);
  EXPECT_EQ(kind_of([](Options& o) { o.mounts[0].folder = "/none"; }), ErrorKind::bad_file);
  const WebServer taken(options_);
  EXPECT_EQ(kind_of([&](Options& o) { o.port = taken.port(); }), ErrorKind::invalid_input);
  EXPECT_EQ(kind_of([&](Options& o) {
              o.port = taken.port();
              o.more_ports = 100;
            }),
            std::nullopt);
}

TEST_F(WebServerTest, GarbageIsAnsweredOrClosedAndOthersAreServed) {
  const WebServer server(options_);
  std::uint32_t state = 1;
  for (int i = 0; i < 40; ++i) {
    std::string bytes = i % 2 == 0 ? "" : "GET / HTTP/1.1\r\n";
    for (int k = 0; k < 200; ++k) {
      state = state * 1664525U + 1013904223U;
      bytes += static_cast<char>(state >> 24);
    }
    TestClient client(server.port());
    client.send(bytes + "\r\n\r\n");
    const Answer answer = client.answer();
    EXPECT_TRUE(answer.status == 400 || answer.status == 0) << answer.status;
    EXPECT_TRUE(client.is_closed());
  }
  EXPECT_EQ(TestClient(server.port()).get("/").status, 200);
}

TEST_F(WebServerTest, HeadersAreBounded) {
  const WebServer server(options_);
  TestClient client(server.port());
  EXPECT_EQ(client.get("/", "A: " + std::string(15'000, 'a') + "\r\n").status, 200);
  EXPECT_EQ(client.get("/", "A: " + std::string(17'000, 'a') + "\r\n").status, 431);
  TestClient endless(server.port());
  std::string lines;
  for (int i = 0; i < 100'000; ++i) lines += "A: aaaaaaaaaaaaaaaa\r\n";
  endless.send("GET / HTTP/1.1\r\n" + lines);
  EXPECT_TRUE(endless.is_closed());
}

TEST_F(WebServerTest, ARequestThatDoesNotComeToAnEndIsGivenUp) {
  options_.limits.header_time = milliseconds(150);
  const WebServer server(options_);
  TestClient silent(server.port());
  TestClient half(server.port());
  half.send("GET / HTTP/1.1\r\nHost: local");
  TestClient slow(server.port());
  // Sending one byte at a time does not extend the time limit.
  const auto start = std::chrono::steady_clock::now();
  while (slow.send("G") && std::chrono::steady_clock::now() - start < test::patience) {
    slow.drain(milliseconds(20));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, test::patience);
  EXPECT_TRUE(silent.is_closed());
  EXPECT_TRUE(half.is_closed());
  EXPECT_EQ(TestClient(server.port()).get("/").status, 200);
}

TEST_F(WebServerTest, IdleConnectionsMakeWayForNewOnes) {
  options_.limits.max_connections = 8;
  const WebServer server(options_);
  std::vector<TestClient> idle;
  idle.reserve(20);
  for (int i = 0; i < 20; ++i) idle.emplace_back(server.port());
  EXPECT_EQ(TestClient(server.port()).get("/").status, 200);
  EXPECT_TRUE(idle.front().is_closed());
}

TEST_F(WebServerTest, AClientThatNeverReadsAFileIsGivenUp) {
  write("page/large.map", std::string(30'000'000, 'a'));
  options_.limits.write_time = milliseconds(200);
  const WebServer server(options_);
  TestClient client(server.port(), 4096);
  client.send("GET /large.map HTTP/1.1\r\nHost: localhost:" + std::to_string(server.port()) +
              "\r\n\r\n");
  std::this_thread::sleep_for(milliseconds(600));
  EXPECT_EQ(client.answer().status, 0);  // it cannot be complete
  EXPECT_EQ(TestClient(server.port()).get("/").status, 200);
}

}  // namespace
}  // namespace supple
