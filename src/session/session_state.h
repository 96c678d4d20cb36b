#pragma once

#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/background.h"
#include "io/scene/object_reader.h"
#include "session/gallery.h"
#include "session/history.h"
#include "session/outbox.h"
#include "session/packet.h"
#include "session/session.h"
#include "supple/error.h"
#include "supple/simulation.h"
#include "supple/warnings.h"

/// The parts of a Session. Each family of commands has a file. Each of its functions gets the state
/// and the object of the command, and reads all its keys. If it throws Error, it has done nothing.
namespace supple {

using Client = Session::Client;
struct SessionState;

inline constexpr std::size_t max_message_bytes = std::size_t{64} << 20;  // of one incoming message
using nlohmann::ordered_json;

/// What was read from a document. Immutable.
struct Reading {
  LoadedScene loaded;
  ordered_json settings;                                ///< loaded.settings
  std::vector<std::vector<std::vector<int>>> selected;  ///< [bodies][pins of the scene]
};

/// A scene as a person asked for it. Immutable.
struct Setup {
  Edit edit;
  std::shared_ptr<const Reading> reading;  ///< of edit.document

  const Scene& scene() const { return reading->loaded.scene; }
  const ordered_json& settings() const { return reading->settings; }
  const std::vector<std::vector<int>>& selected(std::size_t body) const {
    return reading->selected[body];
  }
};
using SetupPointer = std::shared_ptr<const Setup>;

/// A command as it arrived.
struct Command {
  Client client = 0;
  ordered_json id;  ///< null: no reply is wanted
  std::string name;
  ordered_json keys;                         ///< without "do" and "id"
  std::shared_ptr<const std::string> bytes;  ///< of a packet
};

struct Answer {
  ordered_json content = ordered_json::object();
  std::optional<PacketWriter> packet;  ///< its header is the reply
};

/// What is done in the session after the work of a command has finished.
using Finish = std::function<Answer(SessionState&)>;
/// The slow part of a command. It runs on another thread, so it holds everything it needs and does
/// not touch the session.
using Work = std::function<Finish()>;

/// A command whose work is being done beside the steps. Commands that could conflict with it wait
/// until it is done.
struct Job {
  Command command;
  std::string busy;    ///< what is being done
  bool alone = false;  ///< nothing steps meanwhile, because times are measured
  Background<Finish> work;
};

/// A simulation that has been built and runs from the next step on.
struct Built {
  std::unique_ptr<Simulation> simulation;
  SimulationState initial;
  double ms = 0;  ///< how long the build took
};

/// When the next frame is due.
struct Pace {
  bool playing = true;
  double speed = 1;    ///< simulated seconds per second; 0: as fast as possible
  int steps_left = 0;  ///< single steps asked for
  double due = -std::numeric_limits<double>::infinity();  ///< s
};

/// What the frames carry.
struct Show {
  std::set<Client> wants_all;     ///< clients that asked for all vertices; the others get them too
  std::set<Client> wants_forces;  ///< clients that asked for contact forces; likewise
  std::string colour = "none";
  int every = 1;

  bool all_vertices() const { return !wants_all.empty(); }
};

/// The scale for the page's arrows of force.
struct ForceScale {
  double top = 0;     ///< the recent size of the largest force, N
  double newton = 0;  ///< of an arrow of the usual length: a round number; 0 before the first force
};

/// What a client is told when it connects. It is kept while it is true, because many clients can
/// connect at once.
struct Welcome {
  using Bytes = std::shared_ptr<const std::string>;
  Bytes hello, scene, topology, frame;
};

/// A vertex that a client holds, with its neighbours.
struct Grab {
  std::int64_t id = 0;  ///< chosen by the client
  Client client = 0;
  int body = 0;
  int vertex = 0;             ///< number in the scene
  std::vector<int> vertices;  ///< numbers in the body, `vertex` first
  std::vector<Vec3> offsets;  ///< from the first vertex to each when grabbed, m
  Vec3 anchor{0, 0, 0};       ///< where the first vertex was grabbed, m
  Vec3 to{0, 0, 0};           ///< m
  double stiffness = 0;       ///< N/m, of each vertex
};

/// The triangles, tets and lines of the simulated scene, as the page gets them.
struct Topology {
  std::uint32_t id = 0;
  std::vector<std::uint32_t> triangles, tets, segments;
  std::vector<std::uint32_t> surface;  ///< vertices of triangles and segments, ascending
  std::vector<float> rest;
  double diagonal = 1;      ///< of the box of all rest shapes, m
  Vec3 center{0, 0, 0};     ///< of that box
  std::string description;  ///< the bodies, as JSON
};

/// Solvers that run side by side from the same state, and the converged motion.
struct Race {
  struct Lane {
    std::string label;
    std::unique_ptr<Simulation> simulation;
    StepReport report;
    double error = 0;  ///< rms distance to the converged motion, over the diagonal of the scene
  };
  std::vector<Lane> lanes;
  std::unique_ptr<Simulation> converged;
  std::shared_ptr<const Reading> reading;  ///< the scene of the race
};

/// Recorded frames: their positions.
struct Recording {
  bool on = false;
  SetupPointer setup;                      ///< at the first frame
  std::uint64_t generation = 0;            ///< of the simulation
  std::vector<std::vector<float>> frames;  ///< [num_vertices * 3] each
  std::size_t bytes = 0;
};

struct SessionState {
  explicit SessionState(Session::Options options_);

  // Carrying messages.
  Session::Options options;
  Outbox out;
  std::set<Client> clients;
  std::deque<Command> queue;  ///< commands that wait for a slow one
  std::size_t queued_bytes = 0;
  bool announced = false;  ///< the page has been told of the slow command at the front
  std::string busy;        ///< what is being done; empty: nothing
  std::string status_sent;
  Welcome welcome;

  // The scene.
  Gallery gallery;
  std::shared_ptr<SceneOrigin> origin;  ///< a job reads from it; nothing else does meanwhile
  SetupPointer asked;                   ///< the newest accepted setup
  SetupPointer given;    ///< the last setup given to the simulation: it runs, or is being built
  SetupPointer running;  ///< the setup that steps
  std::unique_ptr<Simulation> simulation;
  SimulationState initial;
  bool initial_is_stale = false;  ///< the scene has a different initial state now
  double build_ms = 0;            ///< how long the last build took
  History history;
  bool pins_are_new = true;       ///< changed since they were given to the simulation
  bool colliders_are_new = true;  ///< likewise
  /// Edit::colliders of the previous step. Colliders that are moved while nothing steps start from
  /// their new place.
  std::vector<Placement> colliders_before;

  // Playing.
  Pace pace;
  double now = 0;               ///< s, of the last call of advance
  bool told_unsettled = false;  ///< the page knows that a pause waits for a build
  double frame_ms = 0;
  std::optional<StepReport> report;
  SetupPointer watched;           ///< `running` when `watch` was made
  std::optional<RunWatch> watch;  ///< of the frames since the last jump; set together with `report`
  struct Moment {
    double now, time;
  };
  std::deque<Moment> last_second;  ///< frames

  // Hands.
  std::vector<Grab> grabs;

  // Showing.
  Show show;
  Topology topology;
  bool scene_is_new = false, topology_is_new = false, frame_is_new = false;
  bool pin_lists_are_new = true;
  std::vector<double> positions;  ///< of the state, after refresh_positions

  // Colours.
  std::vector<float> colours;  ///< [num_vertices], of the newest frame; empty if there is no colour
  bool colour_is_new = true;   ///< they have to be computed again
  double colour_low = 0, colour_high = 0;

  // Forces.
  SetupPointer stepped;  ///< `asked` when the last step ended; null if positions have jumped since
  ForceScale force_scale;

  // The comparison with the converged answer (converged.cpp).
  std::unique_ptr<Simulation> converged;  ///< Newton's method on the running scene
  std::shared_ptr<const Reading> converged_reading;
  std::vector<float> distances;  ///< [num_vertices] of the newest frame to the converged one, m
  std::optional<Race> race;

  Recording recording;
  std::uint64_t generation = 0;  ///< of the simulation: increases when nothing is kept

  // Work that runs beside the steps, and work that still runs although nobody needs it any more.
  std::optional<Job> job;
  Background<Finish> dropped;
  Background<Finish> retired;
};

// ------------------------------------------------------------------------- session_state.cpp

/// Reads a document and applies the edits. Throws as parse_scene does, and for settings and pins as
/// the constructor of Simulation does. Builds nothing.
SetupPointer read_setup(std::size_t max_tets, SceneOrigin& origin, const ordered_json& document,
                        Edit edit);

/// The scene of a setup at time t, with what was done by hand.
Scene composed(SessionState& s, const Setup& setup, double t);
/// Does the simulation have more vertices than the whole bodies had?
bool has_come_apart(const SessionState& s);
std::vector<Pin> pins_of_body(const SessionState& s, const Setup& setup, std::size_t body,
                              double t);
std::vector<Collider> colliders_of(const Setup& setup, double t);
/// The colliders of the asked setup for the step that ends at `end`. Colliders that hands have
/// moved since the previous step move during this step, so that friction acts.
std::vector<Collider> colliders_over_step(const SessionState& s, double end);
/// Have hands moved a collider since the previous step?
bool hands_move_colliders(const SessionState& s);

/// Builds the simulation of a setup at time 0. If `state` is not null, the simulation starts from
/// it instead of from the scene's own. Throws as the constructor of Simulation does.
std::shared_ptr<Built> build(const Setup& setup, int threads,
                             const SimulationState* state = nullptr);
/// The same, if `next` has other vertices than the setup that the simulation was given last, so
/// that the simulation cannot continue. Null if it can.
std::shared_ptr<Built> build_where_anew(const Setup& given, const Setup& next, int threads);

/// Starts a scene from a new origin, with the simulation built from it.
void start(SessionState& s, std::shared_ptr<SceneOrigin> origin, SetupPointer setup, Built& built);

/// A setup of the same origin with other edits than `from`. Reads the document only if it differs.
SetupPointer with_edit(const Setup& from, std::size_t max_tets, SceneOrigin& origin, Edit edit);

/// Continues with a setup of the same origin. Throws if it cannot be simulated, as far as that is
/// known at once; then nothing has changed. `anew`: the result of build_where_anew.
void adopt(SessionState& s, SetupPointer next, const std::shared_ptr<Built>& anew = nullptr);

/// Has adopt left work for a moment when nothing steps? settling() returns that work.
bool has_unsettled(const SessionState& s);
Work settling(SessionState& s);
/// Withdraws what was asked for and is not in effect yet.
void take_back(SessionState& s);

/// Remembers the current state for undo; see History::add.
void remember(SessionState& s, const std::string& key = "");

// ------------------------------------------------------------------------------- pulling.cpp

/// Adds the pins by which a grab pulls.
void add_pins_of(const SessionState& s, const Grab& grab, std::vector<Pin>& pins);
/// Releases everything that a client holds.
void release_all(SessionState& s, Client client);

// ------------------------------------------------------------------------------- playing.cpp

/// Session::advance.
double advance_to(SessionState& s, double now);
/// Simulates one frame.
void step(SessionState& s);
/// Forgets the speeds measured so far.
void restart_clock(SessionState& s);

// -------------------------------------------------------------------------------- frames.cpp

void make_topology(SessionState& s);
std::string topology_packet(const SessionState& s);
std::string frame_packet(SessionState& s, bool with_pin_lists);
ordered_json scene_message(const SessionState& s);
ordered_json status_message(const SessionState& s);
ordered_json hello_message(const SessionState& s);
/// Queues everything that is new, for all clients.
void send_news(SessionState& s);

// -------------------------------------------------------------------------------- beside.cpp

/// Begins the work of a command, and waits for it at most Options::wait_ms.
void begin(SessionState& s, Command command, const char* busy, bool alone, Work work);
/// May another job begin?
bool may_begin(SessionState& s);
/// Finishes the job if its work is done. Returns whether that was so.
bool end_job(SessionState& s);
/// Drops a job that nobody needs any more and tells its client `why`. Its work continues, and its
/// result is discarded.
void drop_job(SessionState& s, const std::string& why);
/// Destroys a simulation without waiting for what it is building.
void retire(SessionState& s, std::unique_ptr<Simulation> simulation);

// ------------------------------------------------------------------------------ commands.cpp

void reply(SessionState& s, const Command& command, Answer& answer);
void reply_error(SessionState& s, Client to, const ordered_json& id, const Error& error);

/// Reads a command and executes it, or queues it behind a slow one.
void take_command(SessionState& s, Client client, std::string_view text);
void take_packet(SessionState& s, Client client, std::span<const std::byte> packet);
/// Works through the queue. Returns whether something remains to be done at once.
bool run_queue(SessionState& s);

/// {kind, where, message}
ordered_json error_json(const Error& error);

// -------------------------------------------------------------------------------- helpers

/// The body of a vertex of the scene.
int body_of(const SessionState& s, int vertex);
void refresh_positions(SessionState& s);
std::vector<Vec3> current_positions(const SessionState& s);

}  // namespace supple
