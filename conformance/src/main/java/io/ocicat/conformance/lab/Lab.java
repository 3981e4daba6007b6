package io.ocicat.conformance.lab;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.exec.Invocation;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.conformance.subject.ConformanceException;
import io.ocicat.conformance.subject.PluginKind;
import io.ocicat.conformance.subject.PluginUnderTest;
import io.ocicat.conformance.subject.Profile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A test environment for one check: a host, one or more containers, and directories, all fresh and
 * removed afterwards. {@link #run} calls the plugin and may be used by several threads; the rest
 * belongs to one.
 */
public final class Lab implements AutoCloseable {
  private static final String SEARCH_PATH =
      "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  /** libcni's message for a plugin that fails without output; it adds nothing here. */
  private static final String NO_MESSAGE = "netplugin failed with no error message: ";

  private static final int FIRST_PORT = 8080;

  private final Scratch scratch;
  private final PluginUnderTest subject;
  private final ClaimedVersions claims;
  private final String name;
  private final LabFiles files;
  private final Transcript transcript = new Transcript();
  private final AtomicInteger calls = new AtomicInteger();
  private final List<LabNamespace> namespaces = new ArrayList<>();
  private final List<LabContainer> containers = new ArrayList<>();
  private @Nullable LabService service;

  Lab(Scratch scratch, ClaimedVersions claims, int number) {
    this.scratch = scratch;
    this.subject = scratch.subject();
    this.claims = claims;
    this.name = scratch.name() + "-" + number;
    this.files = new LabFiles(scratch.directory().resolve(Integer.toString(number)), transcript);
  }

  void prepare() {
    files.prepare(profile().files());
    newNamespace("host").up("lo");
    subject
        .service()
        .ifPresent(kind -> service = LabService.start(kind, host(), files.service(), transcript));
    cabling().onHost();
    newContainer();
  }

  public Profile profile() {
    return subject.profile();
  }

  public PluginKind kind() {
    return profile().kind();
  }

  public ClaimedVersions claims() {
    return claims;
  }

  /** The version in which the plugin is called unless a check wants another one. */
  public SpecVersion version() {
    return claims.newest();
  }

  /** Shell commands that repeat what was done here so far, and clean up after themselves. */
  public List<String> reproduction() {
    List<String> commands = new ArrayList<>(transcript.lines());
    if (service != null) {
      commands.add(LabService.STOP);
    }
    ownNamespaces()
        .forEach(namespace -> commands.add("ip netns del " + namespace.path().getFileName()));
    commands.add("cd / && rm -rf " + Shell.quote(scratch.directory().toString()));
    return commands;
  }

  /** The namespace in which the plugin runs. */
  public LabNamespace host() {
    return namespaces.getFirst();
  }

  public LabContainer container() {
    return containers.getFirst();
  }

  /** The server that the plugin uses on its host. */
  public LabService service() {
    if (service == null) {
      throw new ConformanceException(
          "%s needs a server on its host, and none was given".formatted(profile().name()));
    }
    return service;
  }

  public LabFiles files() {
    return files;
  }

  /** A fresh host. */
  public LabNamespace newHost() {
    return newNamespace("host" + namespaces.size());
  }

  public LabContainer newContainer() {
    int number = containers.size();
    LabNamespace namespace =
        number == 0 && subject.netns().isPresent()
            ? borrow(subject.netns().get())
            : newNamespace("pod" + number);
    Snapshot before = namespace.snapshot();
    String ifName = profile().ifName();
    LabContainer container =
        new LabContainer(
            number,
            name + "-" + number,
            namespace,
            ifName,
            before,
            cabling().lay(namespace, ifName, number));
    containers.add(container);
    return container;
  }

  /** Does what the plugins before a chained one do at DEL: removes their veth pair. */
  public void removeVeth(LabContainer container) {
    if (container.previous() != null) {
      container.namespace().delete(container.ifName());
    }
  }

  /** Does what they do at the next ADD: creates it again. */
  public LabContainer restoreVeth(LabContainer container) {
    return new LabContainer(
        container.number(),
        container.id(),
        container.namespace(),
        container.ifName(),
        container.before(),
        cabling().lay(container.namespace(), container.ifName(), container.number()));
  }

  private LabNamespace borrow(Path path) {
    LabNamespace borrowed = LabNamespace.borrow(path, transcript);
    namespaces.add(borrowed);
    return borrowed;
  }

  private HostWiring cabling() {
    return new HostWiring(profile().wiring(), host());
  }

  private LabNamespace newNamespace(String suffix) {
    LabNamespace made = LabNamespace.create(name + "-" + suffix, transcript);
    namespaces.add(made);
    return made;
  }

  public ObjectNode config() {
    return config(version());
  }

  /** What the plugin reads on stdin at ADD; the caller may change it. */
  public ObjectNode config(SpecVersion version) {
    return config(version, container());
  }

  public ObjectNode config(SpecVersion version, LabContainer container) {
    ObjectNode config =
        profile().configIn(files.data().toString(), FIRST_PORT + container.number());
    config.put("cniVersion", version.text()).put("name", profile().network());
    Result previous = container.previous();
    if (previous != null) {
      config.set("prevResult", previous.toJson(version));
    }
    return config;
  }

  /** What the plugin reads on stdin at CHECK and DEL after it answered ADD. */
  public ObjectNode config(AddedContainer attached) {
    ObjectNode config = config(attached.version(), attached.container());
    config.remove("prevResult");
    if (attached.version().isAtLeast(SpecVersion.V0_4_0)) {
      config.set("prevResult", attached.result());
    }
    return config;
  }

  public LabCall call(String verb) {
    return call(verb, config());
  }

  public LabCall call(String verb, ObjectNode config) {
    return call(verb, container(), config);
  }

  public LabCall call(String verb, AddedContainer attached) {
    return call(verb, attached.container(), config(attached));
  }

  /** A call as a runtime makes it. */
  public LabCall call(String verb, LabContainer container, ObjectNode config) {
    Map<String, RawValue> variables = new LinkedHashMap<>();
    variables.put(CniEnvironment.COMMAND, RawValue.of(verb));
    variables.put(CniEnvironment.CONTAINER_ID, RawValue.of(container.id()));
    variables.put(CniEnvironment.NETNS, RawValue.of(container.namespace().path().toString()));
    variables.put(CniEnvironment.IFNAME, RawValue.of(container.ifName()));
    variables.put(CniEnvironment.PATH, RawValue.of(subject.path().toString()));
    variables.put("PATH", RawValue.of(SEARCH_PATH));
    variables.put("TMPDIR", RawValue.of(files.temporary().toString()));
    // Otherwise our plugins that keep records outside of their data directory would use the
    // machine's.
    variables.put("OCICAT_STATE_DIR", RawValue.of(files.state().toString()));
    subject.environment().forEach((key, value) -> variables.put(key, RawValue.of(value)));
    return new LabCall(
        subject.executable(), variables, Stdin.of(Json.compact(config)), host(), Duration.ZERO);
  }

  public CallResult run(LabCall call) {
    transcript.addCommand(call.pipeline());
    CallResult answer;
    try {
      answer = new CallResult.Ended(shell("exec " + call.command(), call.stdin().bytes()));
    } catch (CniException e) {
      scratch.stopped();
      answer = new CallResult.Stopped(e.msg().replace(NO_MESSAGE, ""));
    }
    transcript.answer(answer.describe());
    return answer;
  }

  /** Runs several calls at once; the results are in the order of the calls. */
  public List<CallResult> runAtOnce(List<LabCall> several) {
    List<Callable<CallResult>> tasks = new ArrayList<>();
    several.forEach(call -> tasks.add(() -> run(call)));
    List<CallResult> answers = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(several.size())) {
      for (Future<CallResult> answer : threads.invokeAll(tasks)) {
        answers.add(answer.get());
      }
      return answers;
    } catch (ExecutionException e) {
      throw new ConformanceException("one of several calls at once could not be made", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ConformanceException("interrupted", e);
    }
  }

  /** A program that records its calls and answers ADD with {@code answer}. */
  public Decoy decoy(String folder, String name, String answer) {
    Decoy decoy = files.decoy(folder, name);
    String making = decoy.making(answer);
    transcript.addCommand(making);
    PluginReply reply = shell(making, new byte[0]);
    if (reply.exitCode() != 0) {
      throw new ConformanceException("cannot make %s: %s".formatted(decoy, reply.stderr()));
    }
    return decoy;
  }

  private PluginReply shell(String command, byte[] stdin) {
    String directory = Shell.quote(files.work().toString());
    Path file =
        files.write(
            "call-" + calls.incrementAndGet(), "cd %s && %s\n".formatted(directory, command));
    Map<String, String> environment =
        Map.of(
            "PATH",
            subject.environment().getOrDefault("PATH", SEARCH_PATH),
            "OCICAT_CALL",
            file.toString());
    return scratch
        .exec()
        .run(new Invocation(scratch.launcher(), environment, stdin, subject.limit()));
  }

  /** ADD, which must succeed. */
  public AddedContainer attach() {
    return attach(version(), container());
  }

  public AddedContainer attach(SpecVersion version) {
    return attach(version, container());
  }

  public AddedContainer attach(SpecVersion version, LabContainer container) {
    ObjectNode result = run(call("ADD", container, config(version, container))).document();
    return new AddedContainer(container, version, result);
  }

  /** DEL, which must succeed. */
  public void detach(AddedContainer attached) {
    run(call("DEL", attached)).succeeds();
  }

  /** Processes of the plugin that have outlived it. */
  public List<ProcessHandle> strayProcesses() {
    return StrayProcesses.in(ownNamespaces());
  }

  /** Processes in a borrowed namespace are none of our business. */
  private List<LabNamespace> ownNamespaces() {
    return namespaces.stream().filter(namespace -> !namespace.isBorrowed()).toList();
  }

  /** Does all of it even when some of it fails. */
  @Override
  public void close() {
    List<Runnable> steps = new ArrayList<>();
    steps.add(() -> StrayProcesses.kill(ownNamespaces()));
    if (service != null) {
      steps.add(service::close);
    }
    namespaces.forEach(namespace -> steps.add(namespace::close));
    steps.add(files::delete);
    RuntimeException first = null;
    for (Runnable step : steps) {
      try {
        step.run();
      } catch (RuntimeException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    scratch.closed(this);
    if (first != null) {
      throw first;
    }
  }
}
