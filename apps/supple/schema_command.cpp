#include "io/scene/scene_json.h"
#include "supple/commands.h"
#include "supple/say.h"

namespace supple::cli {

Command add_schema_command(CLI::App& app) {
  CLI::App* const command = app.add_subcommand(
      "schema", "Prints the JSON Schema of scenes, by which editors complete and check them.");
  command->footer("Example:\n  supple schema > scene.schema.json");
  return [] {
    say(scene_schema());
    return success;
  };
}

}  // namespace supple::cli
