#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/names.h"
#include "io/scene/scene_json.h"
#include "serve/admission.h"
#include "serve/web_server.h"
#include "session/session.h"
#include "supple/browser.h"
#include "supple/carrier.h"
#include "supple/command_line.h"
#include "supple/commands.h"
#include "supple/error.h"
#include "supple/folders.h"
#include "supple/say.h"

namespace supple::cli {

namespace {

struct ViewArguments {
  std::string scene;
  std::optional<int> port;
  std::string address = "127.0.0.1";
  std::string token;
  std::string page;
  int threads = 0;
  bool no_browser = false;
};

constexpr unsigned short usual_port = 8420;
/// This many viewers can run side by side without --port.
constexpr int more_ports = 100;

std::string name_of_machine() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "";
  return name.data();
}

ServerOptions options_of(const ViewArguments& arguments) {
  ServerOptions options;
  options.address = arguments.address;
  options.port = arguments.port ? static_cast<unsigned short>(*arguments.port) : usual_port;
  options.more_ports = arguments.port ? 0 : more_ports;
  if (!arguments.token.empty() && !is_good_token(arguments.token)) {
    throw Error(ErrorKind::invalid_input, "--token",
                "expected 16 to 256 letters, digits, - and _ (without it, one is generated if "
                "--address admits other machines)");
  }
  options.token = arguments.token;
  if (const std::string name = name_of_machine(); !name.empty()) {
    options.hosts = {name, name + ".local"};
  }
  options.mounts = {{"/", page_folder(arguments.page)}};
  const std::filesystem::path pictures = scenes_folder() / "pictures";
  std::error_code ignored;
  if (std::filesystem::is_directory(pictures, ignored)) {
    options.mounts.push_back({"/scenes/", pictures});
  }
  options.documents = {{"/engine.json", "{\"engine\": \"native\"}\n"}};
  options.catch_signals = true;
  return options;
}

std::unique_ptr<WebServer> start_server(const ServerOptions& options) {
  try {
    return std::make_unique<WebServer>(options);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::invalid_input) throw;
    throw Error(error.kind(), fmt::format("--address {} --port {}", options.address, options.port),
                error.message());
  }
}

bool is_everywhere(const ServerOptions& options) {
  return options.address == "0.0.0.0" || options.address == "::";
}

/// The URL for a browser on this machine.
std::string local_url(const WebServer& server, const ServerOptions& options) {
  if (is_everywhere(options)) return server.url("127.0.0.1");
  const bool is_v6 = options.address.find(':') != std::string::npos;
  return server.url(is_v6 ? fmt::format("[{}]", options.address) : options.address);
}

/// A word that cannot be a file must be a name in the gallery.
void check_name(const std::string& scene) {
  std::error_code ignored;
  if (scene.find_first_of("./") != std::string::npos || std::filesystem::exists(scene, ignored)) {
    return;
  }
  std::vector<std::string> names;
  for (const SceneFile& known : list_scenes(scenes_folder())) {
    names.push_back(known.file.stem().string());
  }
  if (std::find(names.begin(), names.end(), scene) != names.end()) return;
  throw Error(ErrorKind::invalid_input, "view", unknown_name("scene", scene, names));
}

int view(const ViewArguments& arguments) {
  const ServerOptions options = options_of(arguments);
  if (!arguments.scene.empty()) check_name(arguments.scene);
  Session session({scenes_folder(), arguments.scene, arguments.threads, "native"});
  std::unique_ptr<WebServer> server = start_server(options);
  const std::string url = local_url(*server, options);
  say(url + "\n");
  if (is_everywhere(options) && !options.hosts.empty()) {
    say(server->url(options.hosts.front()) + "\n");
  }
  say("Ctrl-C ends it\n");
  if (!arguments.no_browser && ::isatty(STDOUT_FILENO) == 1) open_browser(url);
  Carrier carrier(*server, session);
  while (carrier.wait()) carrier.work();
  server.reset();  // closes all connections
  say("\n");
  // Nobody will see what is being built, and finishing it could take a minute.
  if (session.is_building() && !output_failed()) std::_Exit(success);
  return success;
}

}  // namespace

Command add_view_command(CLI::App& app) {
  const auto arguments = std::make_shared<ViewArguments>();
  CLI::App* const command = app.add_subcommand(
      "view", "Opens a scene in the browser: pull the body and choose its methods.");
  command->footer(
      "Examples:\n"
      "  supple view\n"
      "  supple view twisting_bar\n"
      "  supple view my_scene.json --port 9000\n"
      "  supple view --address 0.0.0.0    (for other machines too, with the token that it prints)");
  command
      ->add_option("SCENE", arguments->scene,
                   "Scene file (JSON), or a name in the gallery; default the gallery")
      ->check(filled("a scene"));
  command
      ->add_option("--port", arguments->port,
                   "Port to listen on, 0: any free one; default 8420 or the next free one")
      ->type_name("N")
      ->check(CLI::Range(0, 65535).description(""));
  command
      ->add_option("--address", arguments->address,
                   "Address to listen on; default 127.0.0.1, which only this machine can reach")
      ->type_name("A")
      ->check(filled("an address"));
  command
      ->add_option("--token", arguments->token,
                   "Token required in the browser's address; generated by default if --address "
                   "admits other machines")
      ->type_name("T")
      ->check(filled("a token"));
  command->add_option("--web", arguments->page, "Folder of the page; default the program's own")
      ->type_name("DIR")
      ->check(filled("a folder"));
  command
      ->add_option("--threads", arguments->threads,
                   "Threads; default all cores. Any number gives the same bits")
      ->type_name("N")
      ->check(CLI::Range(1, 1024).description(""));
  command->add_flag("--no-browser", arguments->no_browser, "Only prints the address");
  return [arguments] { return view(*arguments); };
}

}  // namespace supple::cli
