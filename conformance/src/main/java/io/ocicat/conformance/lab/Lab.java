package io.ocicat.conformance.lab;

import io.ocicat.cni.CniException;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.exec.Invocation;
import io.ocicat.cni.json.Json;
import io.ocicat.conformance.ConformanceException;
import io.ocicat.conformance.subject.Kind;
import io.ocicat.conformance.subject.Profile;
import io.ocicat.conformance.subject.Subject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/**
 * A place for one check: a host, a container or more, directories, all fresh and gone afterwards.
 * {@link #run} calls the plugin and may be used by several threads; the rest belongs to one.
 */
public final class Lab implements AutoCloseable {
  private static final String SEARCH_PATH =
      "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  private final Scratch scratch;
  private final Subject subject;
  private final Claims claims;
  private final String name;
  private final Path directory;
  private final Transcript transcript = new Transcript();
  private final AtomicInteger calls = new AtomicInteger();
  private final List<Namespace> namespaces = new ArrayList<>();
  private final List<Container> containers = new ArrayList<>();

  Lab(Scratch scratch, Claims claims, int number) {
    this.scratch = scratch;
    this.subject = scratch.subject();
    this.claims = claims;
    this.name = scratch.name() + "-" + number;
    this.directory = scratch.directory().resolve(Integer.toString(number));
  }

  void prepare() {
    for (Path path : List.of(data(), work(), temporary())) {
      try {
        Files.createDirectories(path);
      } catch (IOException e) {
        throw new ConformanceException("cannot make " + path + ": " + e.getMessage(), e);
      }
    }
    transcript.say(
        "mkdir -p %s && cd %s"
            .formatted(
                Stream.of(data(), temporary(), work())
                    .map(path -> Shell.quote(path.toString()))
                    .collect(Collectors.joining(" ")),
                Shell.quote(work().toString())));
    newNamespace("host").up("lo");
    cabling().onHost();
    newContainer();
  }

  public Profile profile() {
    return subject.profile();
  }

  public Kind kind() {
    return profile().kind();
  }

  public Claims claims() {
    return claims;
  }

  /** The version in which the plugin is called unless a check wants another one. */
  public SpecVersion version() {
    return claims.newest();
  }

  public Transcript transcript() {
    return transcript;
  }

  /** Where the plugin runs. */
  public Namespace host() {
    return namespaces.getFirst();
  }

  public Container container() {
    return containers.getFirst();
  }

  /** Where the plugin is configured to keep its files. */
  public Path data() {
    return directory.resolve("data");
  }

  /** Its working directory. */
  Path work() {
    return directory.resolve("work");
  }

  private Path temporary() {
    return directory.resolve("tmp");
  }

  /** A path in the lab that does not exist. */
  public Path nowhere() {
    return directory.resolve("no-such-namespace");
  }

  /** A host where nothing has happened yet. */
  public Namespace newHost() {
    return newNamespace("host" + namespaces.size());
  }

  public Container newContainer() {
    int number = containers.size();
    Namespace namespace =
        number == 0 && subject.netns().isPresent()
            ? borrow(subject.netns().get())
            : newNamespace("pod" + number);
    Snapshot before = namespace.snapshot();
    String ifName = profile().ifName();
    Container container =
        new Container(
            name + "-" + number,
            namespace,
            ifName,
            before,
            cabling().lay(namespace, ifName, number));
    containers.add(container);
    return container;
  }

  /** Does what the plugins before a chained one do at DEL: takes their cable away. */
  public void unplug(Container container) {
    if (container.previous() != null) {
      container.namespace().delete(container.ifName());
    }
  }

  /** And at the next ADD: lays it again. */
  public Container replug(Container container) {
    return new Container(
        container.id(),
        container.namespace(),
        container.ifName(),
        container.before(),
        cabling().lay(container.namespace(), container.ifName(), containers.indexOf(container)));
  }

  private Namespace borrow(Path path) {
    Namespace borrowed = Namespace.borrow(path, transcript);
    namespaces.add(borrowed);
    return borrowed;
  }

  private Cabling cabling() {
    return new Cabling(profile().wiring(), host());
  }

  private Namespace newNamespace(String suffix) {
    Namespace made = Namespace.create(name + "-" + suffix, transcript);
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

  public ObjectNode config(SpecVersion version, Container container) {
    ObjectNode config = profile().configIn(data().toString());
    config.put("cniVersion", version.text()).put("name", profile().network());
    Result previous = container.previous();
    if (previous != null) {
      config.set("prevResult", previous.toJson(version));
    }
    return config;
  }

  /** What the plugin reads on stdin at CHECK and DEL after it answered ADD. */
  public ObjectNode config(Attached attached) {
    ObjectNode config = config(attached.version(), attached.container());
    config.remove("prevResult");
    if (attached.version().isAtLeast(SpecVersion.V0_4_0)) {
      config.set("prevResult", attached.result());
    }
    return config;
  }

  public Call call(String verb) {
    return call(verb, config());
  }

  public Call call(String verb, ObjectNode config) {
    return call(verb, container(), config);
  }

  public Call call(String verb, Attached attached) {
    return call(verb, attached.container(), config(attached));
  }

  /** A call as a runtime makes it. */
  public Call call(String verb, Container container, ObjectNode config) {
    Map<String, Value> variables = new LinkedHashMap<>();
    variables.put(CniEnvironment.COMMAND, Value.of(verb));
    variables.put(CniEnvironment.CONTAINER_ID, Value.of(container.id()));
    variables.put(CniEnvironment.NETNS, Value.of(container.namespace().path().toString()));
    variables.put(CniEnvironment.IFNAME, Value.of(container.ifName()));
    variables.put(CniEnvironment.PATH, Value.of(subject.path().toString()));
    variables.put("PATH", Value.of(SEARCH_PATH));
    variables.put("TMPDIR", Value.of(temporary().toString()));
    subject.environment().forEach((key, value) -> variables.put(key, Value.of(value)));
    return new Call(variables, Stdin.of(Json.compact(config)), host());
  }

  public Answer run(Call call) {
    Path file = directory.resolve("call-" + calls.incrementAndGet());
    try {
      Files.writeString(
          file,
          "cd %s && exec %s\n"
              .formatted(Shell.quote(work().toString()), call.command(subject.executable())));
    } catch (IOException e) {
      throw new ConformanceException("cannot write " + file + ": " + e.getMessage(), e);
    }
    Map<String, String> environment = new HashMap<>();
    environment.put("PATH", subject.environment().getOrDefault("PATH", SEARCH_PATH));
    environment.put("OCICAT_CALL", file.toString());
    transcript.say(call.pipeline(subject.executable()));
    Answer answer;
    try {
      answer =
          new Answer.Ended(
              scratch
                  .exec()
                  .run(
                      new Invocation(
                          scratch.launcher(), environment, call.stdin().bytes(), subject.limit())));
    } catch (CniException e) {
      scratch.stopped();
      answer = new Answer.Stopped(e.msg());
    }
    transcript.answer(answer.describe());
    return answer;
  }

  /** ADD, which must succeed. */
  public Attached attach() {
    return attach(version(), container());
  }

  public Attached attach(SpecVersion version) {
    return attach(version, container());
  }

  public Attached attach(SpecVersion version, Container container) {
    ObjectNode result = run(call("ADD", container, config(version, container))).document();
    return new Attached(container, version, result);
  }

  /** DEL, which must succeed. */
  public void detach(Attached attached) {
    run(call("DEL", attached)).succeeds();
  }

  /** The files that the plugin has made: where it was told to, where it works, and in TMPDIR. */
  public Snapshot files() {
    return Snapshot.of(data()).and(Snapshot.of(work())).and(Snapshot.of(temporary()));
  }

  /** Those files that name a container, in their names or in what is in them. */
  public List<String> filesAbout(Container container) {
    return FilesAbout.find(data(), container.id());
  }

  /** Takes away everything the plugin has stored. */
  public void loseData() {
    Scratch.deleteContent(data());
    transcript.say("rm -rf %s/*".formatted(Shell.quote(data().toString())));
  }

  /** A path that is a file and no namespace. */
  public Path plainFile() {
    Path file = directory.resolve("plain-file");
    try {
      Files.createFile(file);
    } catch (IOException e) {
      throw new ConformanceException("cannot make " + file + ": " + e.getMessage(), e);
    }
    transcript.say(": >" + Shell.quote(file.toString()));
    return file;
  }

  /** A program in the lab that writes down who calls it and answers ADD with {@code answer}. */
  public Decoy decoy(String directory, String name, String answer) {
    return Decoy.make(this.directory.resolve(directory), name, answer, transcript);
  }

  /** Processes of the plugin's that have outlived it. */
  public List<ProcessHandle> leftovers() {
    return Leftovers.in(ownNamespaces());
  }

  /** Who lives in a borrowed namespace is not ours to judge, nor to end. */
  private List<Namespace> ownNamespaces() {
    return namespaces.stream().filter(namespace -> !namespace.isBorrowed()).toList();
  }

  @Override
  public void close() {
    Leftovers.kill(ownNamespaces());
    namespaces.forEach(Namespace::close);
    Scratch.delete(directory);
    scratch.closed(this);
  }
}
