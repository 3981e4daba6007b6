package io.ocicat.cni.runtime;

import static io.ocicat.cni.runtime.Lab.container;
import static io.ocicat.cni.runtime.Lab.fails;
import static io.ocicat.cni.runtime.Lab.list;
import static io.ocicat.cni.runtime.Lab.single;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ConfigList;
import io.ocicat.cni.Dns;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.exec.PluginExec;
import io.ocicat.cni.exec.ProcessExec;
import io.ocicat.cni.exec.Scripts;
import io.ocicat.cni.plugin.InProcessExec;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.cni.testplugins.DebugFile;
import io.ocicat.cni.testplugins.JvmPlugins;
import io.ocicat.cni.testplugins.NoopPlugin;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The runtime with plugins that are processes: merged results, the order of GC, timeouts of every
 * operation, and a plugin of version 0.1.0.
 */
@Timeout(120)
class ProcessesTest {
  @TempDir Path directory;
  private Lab lab;
  private Scripts scripts;

  @BeforeEach
  void open() {
    lab = new Lab(directory);
    scripts = new Scripts(lab.plugins);
  }

  private Cni.Builder processes() {
    return lab.builder().exec(new ProcessExec(Duration.ofMillis(100)));
  }

  /** The noop plugin, as a process of its own or in this JVM. */
  private Cni noop(boolean inProcess) {
    PluginExec processes = new ProcessExec();
    JvmPlugins.install(lab.plugins, "noop", NoopPlugin.class);
    return lab.builder()
        .exec(
            inProcess
                ? new InProcessExec(_ -> Optional.of(new NoopPlugin()), processes, Namespaces.OWN)
                : processes)
        .pluginLog((_, _) -> {})
        .build();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void threePluginsMakeOneResultWhetherTheyAreProcessesOrNot(boolean inProcess) {
    Path producer =
        DebugFile.result("{\"cniVersion\":\"1.1.0\",\"ips\":[{\"address\":\"10.1.2.3/24\"}]}")
            .write(directory.resolve("producer"));
    Path passing = DebugFile.result(DebugFile.PASSTHROUGH).write(directory.resolve("passing"));
    Path dns = DebugFile.result(DebugFile.INJECT_DNS).write(directory.resolve("dns"));
    ConfigList list =
        ConfigList.parse(
            """
            {"name":"net","cniVersion":"1.1.0","plugins":[
              {"type":"noop","debugFile":"%s","capabilities":{"portMappings":true}},
              {"type":"noop","debugFile":"%s"},
              {"type":"noop","debugFile":"%s"}]}
            """
                .formatted(producer, passing, dns));
    Network network = noop(inProcess).network(list);
    Container container = container().capability("portMappings", CniJson.parse("[]"));
    Result result = network.add(container);
    assertThat(result.ips()).hasSize(1);
    assertThat(result.dns()).isEqualTo(new Dns(List.of("1.2.3.4"), "", List.of(), List.of()));
    DebugFile asked = DebugFile.read(producer);
    assertThat(asked.command()).isEqualTo("ADD");
    assertThat(asked.args().containerId()).isEqualTo("c1");
    assertThat(asked.args().ifName()).isEqualTo("eth0");
    assertThat(CniJson.parse(asked.args().stdin()).get("runtimeConfig"))
        .isEqualTo(CniJson.parse("{\"portMappings\":[]}"));
    network.check(container);
    assertThat(CniJson.parse(DebugFile.read(producer).args().stdin()).get("prevResult"))
        .isEqualTo(result.toJson());
    network.del(container);
    assertThat(DebugFile.read(passing).command()).isEqualTo("DEL");
    assertThat(lab.cacheFiles()).isEmpty();
  }

  @Test
  void gcInTheOrderOfTheCommandLog() {
    Path log = directory.resolve("log");
    ConfigList list =
        ConfigList.parse(
            "{\"name\":\"net\",\"cniVersion\":\"1.1.0\",\"plugins\":[{\"type\":\"noop\",\"commandLog\":\"%s\"}]}"
                .formatted(log));
    Network network = noop(true).network(list);
    network.add(container());
    network.gc(List.of(new Attachment("c1", "eth0")));
    network.gc(List.of());
    assertThat(DebugFile.readLog(log))
        .extracting(DebugFile.Logged::command)
        .containsExactly("ADD", "GC", "DEL", "GC");
  }

  private void endsWithoutMessage(ThrowingCallable call) {
    fails(call).withMessageContaining("netplugin failed with no error message");
  }

  @Test
  void nothingWaitsLongerThanItMay() {
    scripts.write("sleep", "sleep 300");
    Cni cni = processes().timeLimit(Duration.ofMillis(200)).build();
    Network one = cni.network(single("1.0.0", "sleep"));
    Network list = cni.network(list("1.0.0", "sleep"));
    Lab.write(lab.cacheFile("net-c1-eth0"), "{\"cniVersion\":\"1.0.0\"}");
    for (Network network : List.of(one, list)) {
      endsWithoutMessage(() -> network.add(container()));
      endsWithoutMessage(() -> network.check(container()));
      endsWithoutMessage(() -> network.del(container()));
      endsWithoutMessage(() -> network.validate().orThrow());
    }
    endsWithoutMessage(() -> cni.versions("sleep"));
    Network status = cni.network(list("1.1.0", "sleep"));
    endsWithoutMessage(status::status);
    endsWithoutMessage(() -> status.gc(List.of()));
  }

  @Test
  void anAddThatTookTooLongIsRolledBackInATimeOfItsOwn() {
    scripts.write(
        "slow",
        "echo $CNI_COMMAND >> %s/log".formatted(directory),
        "[ $CNI_COMMAND = DEL ] || sleep 300");
    Network network =
        processes()
            .timeLimit(Duration.ofMillis(200))
            .rollBackFailedAdds(Duration.ofSeconds(30))
            .build()
            .network(list("1.0.0", "slow"));
    endsWithoutMessage(() -> network.add(container()));
    assertThat(directory.resolve("log")).content().endsWith("DEL\n");
  }

  @Test
  void aPluginThatHangsOnDelLeavesTimeToTheOthers() {
    scripts.write("good", "echo $CNI_COMMAND >> %s/log".formatted(directory));
    scripts.write("hangs", "sleep 300");
    Network network =
        processes()
            .timeLimit(Duration.ofSeconds(3))
            .delContinuesOnFailure(true)
            .build()
            .network(list("1.0.0", "good", "hangs"));
    endsWithoutMessage(() -> network.del(container()));
    assertThat(directory.resolve("log")).content().isEqualTo("DEL\n");
  }

  @Test
  void aPluginOfTheFirstVersionIsUnderstood() {
    scripts.write(
        "legacy",
        "case $CNI_COMMAND in",
        "ADD) cat > %s/add; echo '{\"ip4\":{\"ip\":\"10.1.2.3/24\"},\"dns\":{}}' ;;"
            .formatted(directory),
        "DEL) cat > %s/del ;;".formatted(directory),
        "*) echo '{\"code\":100,\"msg\":\"unknown CNI_COMMAND: '$CNI_COMMAND'\"}'; exit 1 ;;",
        "esac");
    Cni cni = processes().build();
    assertThat(cni.versions("legacy").supportedVersions()).containsExactly("0.1.0");
    for (String version : List.of("", "0.1.0")) {
      Network network = cni.network(list(version, "legacy"));
      assertThat(network.validate().isValid()).isTrue();
      Result result = network.add(container());
      assertThat(result.version()).isEqualTo(SpecVersion.V0_1_0);
      assertThat(result.ips()).hasSize(1);
      network.del(container());
      assertThat(CniJson.parse(read(directory.resolve("del"))).has("prevResult")).isFalse();
    }
    assertThat(cni.network(list("1.0.0", "legacy")).validate().problems())
        .extracting(Validation.Finding::reason)
        .containsExactly("plugin legacy does not support config version \"1.0.0\"");
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aKilledRuntimeLeavesWholeFilesAndNoLocks() throws IOException {
    scripts.write(
        "quick",
        "echo '{\"cniVersion\":\"1.0.0\",\"padding\":\"%s\"}'".formatted("x".repeat(20_000)));
    Cni cni = processes().timeLimit(Duration.ofSeconds(20)).build();
    for (int round = 0; round < 3; round++) {
      for (String file : lab.cacheFiles()) {
        Files.delete(lab.cacheFile(file));
      }
      try (Background _ = another("loop").start()) {
        Eventually.await(
            "the other runtime to work",
            Duration.ofSeconds(30),
            () -> lab.cacheFiles().size() == 10);
      }
      assertThat(cni.attachments()).hasSize(10);
      assertThat(lab.warnings).isEmpty();
    }
    Network network = cni.network(list("1.0.0", "quick"));
    for (int i = 0; i < 10; i++) {
      network.add(Container.of("c" + i, Lab.NETNS));
      network.del(Container.of("c" + i, Lab.NETNS));
    }
    network.gc(List.of());
    assertThat(lab.cacheFiles()).isEmpty();
    assertThat(lab.cacheFile(".ocicat").toFile().list()).containsExactly("lock");
  }

  @Test
  void onAReadOnlyFileSystemAddDoesNothingAndDelStillWorks() {
    scripts.write("quick", "echo $CNI_COMMAND >> %s/log; echo '{}'".formatted(directory));
    processes().build().network(list("1.0.0", "quick")).add(container());
    Output add = readOnly("add");
    assertThat(add.stdout())
        .contains("failed to set network \"net\" cached result: cannot write in ");
    Output del = readOnly("del");
    assertThat(del.stdout())
        .contains("is not protected from other processes")
        .contains("cannot remove what is cached")
        .endsWith("done\n");
    assertThat(directory.resolve("log")).content().isEqualTo("ADD\nDEL\n");
  }

  private Output readOnly(String what) {
    List<String> argv =
        new ArrayList<>(
            List.of(
                "unshare",
                "--mount",
                "sh",
                "-c",
                "mount --bind $0 $0 && mount -o remount,bind,ro,nosuid,nodev,noexec $0 && exec \"$@\"",
                lab.cache.toString()));
    argv.addAll(another(what).argv());
    return Command.of(argv).run();
  }

  private Command another(String what) {
    return Command.of(
        System.getProperty("java.home") + "/bin/java",
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "-cp",
        System.getProperty("java.class.path"),
        Another.class.getName(),
        directory.toString(),
        what);
  }

  /** Another runtime in a process of its own. */
  static final class Another {
    private Another() {}

    static void main(String[] args) {
      Lab lab = new Lab(Path.of(args[0]));
      Network network =
          lab.builder()
              .exec(new ProcessExec())
              .warnings(System.out::println)
              .build()
              .network(list("1.0.0", "quick"));
      switch (args[1]) {
        case "add" -> attempt(() -> network.add(container()));
        case "del" -> attempt(() -> network.del(container()));
        case "loop" -> {
          for (int i = 0; i < 10_000; i++) {
            network.add(Container.of("c" + i % 10, Lab.NETNS));
          }
        }
        default -> throw new IllegalArgumentException(args[1]);
      }
    }

    private static void attempt(Runnable verb) {
      try {
        verb.run();
        System.out.println("done");
      } catch (RuntimeException e) {
        System.out.println(e.getMessage());
      }
    }
  }
}
