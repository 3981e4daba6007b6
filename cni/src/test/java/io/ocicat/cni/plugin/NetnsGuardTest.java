package io.ocicat.cni.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.Verb;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A plugin must not mistake the host for a container. */
@Hosts
class NetnsGuardTest {
  private static final String OWN = "/proc/self/ns/net";

  private final RecordingPlugin plugin = new RecordingPlugin();

  @ParameterizedTest
  @EnumSource(names = {"ADD", "DEL"})
  void theHostsNamespaceIsRefusedBeforeThePluginRuns(Verb verb) {
    PluginReply reply = Request.of(verb).with("CNI_NETNS", OWN).to(plugin);
    // Had the plugin been called, its result would precede the error: two documents.
    CniException error = Request.failureIn(reply);
    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_NETNS);
    assertThat(error.msg())
        .isEqualTo("plugin's netns and netns from CNI_NETNS should not be the same");
    assertThat(error.details()).contains(OWN, "CNI_NETNS_OVERRIDE=1");
    assertThat(plugin.calls).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"ADD", "DEL"})
  void anotherNamespaceIsFine(Verb verb, Host container) {
    PluginReply reply = Request.of(verb).with("CNI_NETNS", container.path().toString()).to(plugin);
    assertThat(reply.exitCode()).isZero();
    assertThat(plugin.calls).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "true", "TRUE", "tRuE"})
  void canBeOverridden(String value) {
    Request request = Request.of(Verb.ADD).with("CNI_NETNS", OWN);
    assertThat(request.with("CNI_NETNS_OVERRIDE", value).to(plugin).exitCode()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "false", "", "yes", "11", " 1"})
  void isNotOverriddenByAnythingElse(String value) {
    Request request = Request.of(Verb.ADD).with("CNI_NETNS", OWN);
    assertThat(request.with("CNI_NETNS_OVERRIDE", value).failure(plugin).code())
        .isEqualTo(ErrorCode.INVALID_NETNS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/run/netns/removed", "not/absolute", "/proc/0/ns/net"})
  void aNamespaceThatIsGoneIsNotTheHosts(String netns) {
    assertThat(Request.of(Verb.DEL).with("CNI_NETNS", netns).to(plugin).exitCode()).isZero();
    assertThat(plugin.only(DelCall.class).netns().map(Netns::text).orElse("")).isEqualTo(netns);
  }

  @Test
  void checkDoesNotCare() {
    assertThat(Request.of(Verb.CHECK).with("CNI_NETNS", OWN).to(plugin).exitCode()).isZero();
  }

  @Test
  void theHostIsWhereTheCallerIsNotWhereThisProcessIs(Host caller, Host container) {
    PluginHost host = host(new Namespaces(caller.path(), Map.of()));
    Request request = Request.of(Verb.ADD).with("CNI_NETNS", container.path().toString());
    assertThat(request.to(plugin, host).exitCode()).isZero();
    assertThat(plugin.only(AddCall.class).hostNetns()).isEqualTo(caller.path());

    assertThat(request.with("CNI_NETNS", OWN).to(plugin, host).exitCode()).isZero();
    Request callersOwn = request.with("CNI_NETNS", caller.path().toString());
    assertThat(Request.failureIn(callersOwn.to(plugin, host)).code())
        .isEqualTo(ErrorCode.INVALID_NETNS);
  }

  @Test
  void aDaemonOpensTheDescriptorsItReceived(Host caller, Host container) throws IOException {
    try (FileChannel first = open(caller);
        FileChannel second = open(container)) {
      assertThat(first.isOpen() && second.isOpen()).isTrue();
      Path ofCaller = descriptorOf(caller);
      Path ofContainer = descriptorOf(container);
      String name = "/run/netns/known-to-the-caller-only";
      Request request = Request.of(Verb.ADD).with("CNI_NETNS", name);

      PluginHost host = host(Namespaces.received(ofCaller, name, ofContainer));
      assertThat(request.to(plugin, host).exitCode()).isZero();
      AddCall call = plugin.only(AddCall.class);
      assertThat(call.netns()).isEqualTo(new Netns(name, ofContainer)).hasToString(name);
      assertThat(call.hostNetns()).isEqualTo(ofCaller);

      PluginHost confused = host(Namespaces.received(ofCaller, name, caller.path()));
      assertThat(Request.failureIn(request.to(plugin, confused)).code())
          .isEqualTo(ErrorCode.INVALID_NETNS);
    }
  }

  @Test
  void aHostThatCannotBeLookedAtIsAnError(Host container) {
    PluginHost host = host(new Namespaces(Path.of("/proc/0/ns/net"), Map.of()));
    CniException error =
        Request.failureIn(
            Request.of(Verb.ADD).with("CNI_NETNS", container.path().toString()).to(plugin, host));
    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_NETNS);
    assertThat(error.msg()).isEqualTo("get plugin's netns failed");
    assertThat(error.details()).contains("/proc/0/ns/net");
  }

  @Test
  void whatCannotBeAPathIsRefused() {
    CniException error = Request.of(Verb.ADD).with("CNI_NETNS", "/run/\0").failure(plugin);
    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_ENVIRONMENT);
    assertThat(error.msg()).isEqualTo("CNI_NETNS is no path: \"/run/\\x00\"");
  }

  private static PluginHost host(Namespaces namespaces) {
    PluginHost process = PluginHost.process();
    return new PluginHost(namespaces, process.exec(), process.deadline(), process.stderr());
  }

  private static FileChannel open(Host host) throws IOException {
    return FileChannel.open(host.path(), StandardOpenOption.READ);
  }

  private static Path descriptorOf(Host host) throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.filter(fd -> pointsTo(fd, host.path())).findFirst().orElseThrow();
    }
  }

  private static boolean pointsTo(Path descriptor, Path file) {
    try {
      return Files.isSymbolicLink(descriptor)
          && Files.readSymbolicLink(descriptor).endsWith(file.getFileName());
    } catch (IOException _) {
      return false;
    }
  }
}
