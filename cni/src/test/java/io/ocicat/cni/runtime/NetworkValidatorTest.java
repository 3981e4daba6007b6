package io.ocicat.cni.runtime;

import static io.ocicat.cni.runtime.Lab.fails;
import static io.ocicat.cni.runtime.Lab.single;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.ConfigList;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.exec.Verb;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Validation and versions: what libcni's tests cover (capabilities, missing executables,
 * unsupported versions), and every problem of a file at once.
 */
class NetworkValidatorTest {
  @TempDir Path directory;
  private Lab lab;

  @BeforeEach
  void open() {
    lab = new Lab(directory);
  }

  @Test
  void returnsExactlyTheTrueCapabilitiesOfASinglePlugin() {
    lab.install("noop");
    PluginConfig config =
        PluginConfig.parse(
            "{\"name\":\"n\",\"type\":\"noop\",\"capabilities\":{\"portMappings\":true,\"mac\":false,\"ips\":true}}"
                .getBytes(StandardCharsets.UTF_8));
    assertThat(lab.cni().network(config).validate().orThrow())
        .containsExactly("portMappings", "ips");
    assertThat(lab.recorder.order()).containsExactly("VERSION noop");
  }

  @Test
  void unionOfCapabilitiesOfAList() {
    lab.install("a", "b");
    ConfigList list =
        ConfigList.parse(
            """
            {"name":"net","cniVersion":"1.0.0","plugins":[
              {"type":"a","capabilities":{"portMappings":true,"mac":true}},
              {"type":"b","capabilities":{"mac":true,"ips":false}}]}
            """);
    Validation validation = lab.cni().network(list).validate();
    assertThat(validation.isValid()).isTrue();
    assertThat(validation.warnings()).isEmpty();
    assertThat(validation.orThrow()).containsExactly("portMappings", "mac");
  }

  @Test
  void oneMissingExecutableIsOneErrorInBrackets() {
    lab.install("a");
    Network network = lab.cni().network(Lab.list("1.0.0", "a", "b"));
    fails(() -> network.validate().orThrow())
        .withMessage("[failed to find plugin \"b\" in path [" + lab.plugins + "]]");
    assertThat(network.validate().problems())
        .containsExactly(
            new Validation.Finding(
                null,
                "plugins[1].type",
                ErrorCode.INVALID_NETWORK_CONFIG,
                "failed to find plugin \"b\" in path [" + lab.plugins + "]"));
    fails(() -> lab.cni().network(single("1.0.0", "gone")).validate().orThrow())
        .withMessageContaining("failed to find plugin \"gone\"");
  }

  @Test
  void anUnsupportedVersionIsOneErrorPerPlugin() {
    Network network = lab.network("broken", "a", "b");
    fails(() -> network.validate().orThrow())
        .withMessage(
            "[unsupported CNI version \"broken\": known versions are 0.1.0, 0.2.0, 0.3.0, 0.3.1, 0.4.0, 1.0.0, 1.1.0"
                + " plugin a does not support config version \"broken\""
                + " plugin b does not support config version \"broken\"]")
        .matches(e -> e.is(ErrorCode.INCOMPATIBLE_VERSION));
  }

  /** A problem of several plugins is printed once, however many are too old. */
  @Test
  void theSummarySaysOnceWhatSeveralPluginsLack() {
    lab.recorder.on(
        Verb.VERSION,
        "old",
        Recorder.ok("{\"cniVersion\":\"1.0.0\",\"supportedVersions\":[\"1.0.0\"]}"));
    lab.recorder.on(
        Verb.VERSION,
        "older",
        Recorder.ok("{\"cniVersion\":\"0.4.0\",\"supportedVersions\":[\"0.4.0\"]}"));
    assertThat(lab.network("1.1.0", "old", "older").validate().summary())
        .isEqualTo(
            "plugins old, older do not support the cniVersion of the configuration: lower it, or install newer ones");
    assertThat(lab.network("1.0.0", "old", "older").validate().summary())
        .isEqualTo("plugin older does not support config version \"1.0.0\"");
  }

  @Test
  void anOmittedVersionIsTheFirst() {
    lab.install("noop");
    assertThat(lab.cni().network(single("", "noop")).validate().isValid()).isTrue();
    lab.recorder.on(
        Verb.VERSION,
        "new",
        Recorder.ok("{\"cniVersion\":\"1.0.0\",\"supportedVersions\":[\"1.0.0\"]}"));
    lab.install("new");
    fails(() -> lab.cni().network(single("", "new")).validate().orThrow())
        .withMessage("[plugin new does not support config version \"0.1.0\"]");
  }

  @Test
  void aVersionIsSupportedOnlyAsItIsWritten() {
    Network network = lab.network("1.0", "a");
    assertThat(network.validate().problems())
        .extracting(Validation.Finding::path)
        .containsExactly("cniVersion", "plugins[0].type");
  }

  @Test
  void versionsOfAPluginInItsOwnOrder() {
    lab.install("noop")
        .recorder
        .on(
            Verb.VERSION,
            "noop",
            Recorder.ok(
                "{\"cniVersion\":\"1.1.0\",\"supportedVersions\":[\"0.-42.0\",\"0.2.0\",\"0.1.0\"]}"));
    assertThat(lab.cni().versions("noop").supportedVersions())
        .containsExactly("0.-42.0", "0.2.0", "0.1.0");
    fails(() -> lab.cni().versions("gone"))
        .withMessageStartingWith("failed to find plugin \"gone\" in path [");
    fails(() -> lab.cni().versions("../noop")).withMessage("invalid plugin name: ../noop");
  }

  @Test
  void aPluginIsAskedAgainOnlyWhenItsFileHasChanged() throws IOException {
    lab.install("noop");
    Cni cni = lab.cni();
    cni.versions("noop");
    cni.versions("noop");
    assertThat(lab.recorder.order()).containsExactly("VERSION noop");
    Files.setLastModifiedTime(lab.plugins.resolve("noop"), FileTime.fromMillis(1));
    cni.versions("noop");
    assertThat(lab.recorder.order()).containsExactly("VERSION noop", "VERSION noop");
  }

  @Test
  void namesTheFileAndTheFieldOfEveryProblemAtOnce() {
    lab.install("old")
        .recorder
        .on(
            Verb.VERSION,
            "old",
            Recorder.ok("{\"cniVersion\":\"0.4.0\",\"supportedVersions\":[\"0.4.0\"]}"));
    Path list =
        Lab.write(
            lab.conf.resolve("10-net.conflist"),
            """
            {"name":"net","cniVersion":"1.0.0","plugins":[
              {"type":"old","ipam":{"type":"gone-ipam"}, "prevResult":{}},
              {"type":"gone"}]}
            """);
    Path extra = Lab.write(lab.conf.resolve("net/50-extra.conf"), "{\"type\":\"extra\"}");
    Path single =
        Lab.write(lab.conf.resolve("20-one.conf"), "{\"name\":\"one\",\"type\":\"gone\"}");
    Cni cni = lab.cni();
    assertThat(cni.network("net").file()).hasValue(list);
    Validation validation = cni.network("net").validate();
    assertThat(validation.problems())
        .extracting(Validation.Finding::toString)
        .containsExactly(
            list + ": plugins[0].type: plugin old does not support config version \"1.0.0\"",
            list
                + ": plugins[0].ipam.type: failed to find plugin \"gone-ipam\" in path ["
                + lab.plugins
                + "]",
            list
                + ": plugins[1].type: failed to find plugin \"gone\" in path ["
                + lab.plugins
                + "]",
            extra + ": type: failed to find plugin \"extra\" in path [" + lab.plugins + "]");
    assertThat(validation.warnings())
        .extracting(Validation.Finding::toString)
        .containsExactly(
            list
                + ": plugins[0]: plugin \"old\": \"prevResult\" in the configuration is ignored:"
                + " only the runtime may set it");
    assertThat(cni.network("one").validate().problems())
        .extracting(Validation.Finding::toString)
        .containsExactly(
            single + ": type: failed to find plugin \"gone\" in path [" + lab.plugins + "]");
  }

  @Test
  void aPluginThatDoesNotTellItsVersionsIsAProblem() {
    Network network = lab.network("1.0.0", "a");
    lab.recorder.on(Verb.VERSION, "a", Recorder.ok("{}"));
    assertThat(network.validate().problems())
        .extracting(Validation.Finding::reason)
        .containsExactly("decoding version info: missing field cniVersion");
  }

  @Test
  void validatesTheVersionThatIsNegotiatedWithPlugins() {
    lab.install("a")
        .recorder
        .on(
            Verb.VERSION,
            "a",
            Recorder.ok("{\"cniVersion\":\"1.0.0\",\"supportedVersions\":[\"1.0.0\"]}"));
    ConfigList list =
        ConfigList.parse(
            "{\"name\":\"net\",\"cniVersions\":[\"1.0.0\",\"1.1.0\"],\"plugins\":[{\"type\":\"a\"}]}");
    assertThat(lab.cni().network(list).validate().isValid()).isFalse();
    assertThat(lab.builder().negotiatesWithPlugins(true).build().network(list).validate().isValid())
        .isTrue();
  }

  @Test
  void listsNetworksAndTheDefaultOne() {
    lab.install("a");
    Lab.write(lab.conf.resolve("00-bad.conflist"), "{");
    Lab.write(lab.conf.resolve("10-x.conf"), "{\"name\":\"x\",\"type\":\"a\"}");
    Lab.write(lab.conf.resolve("20-y.conflist"), "{\"name\":\"y\",\"plugins\":[{\"type\":\"a\"}]}");
    Cni cni = lab.cni();
    ConfListing listing = cni.networks();
    assertThat(listing.networks()).extracting(NetworkFile::name).containsExactly("x", "y");
    assertThat(listing.problems()).hasSize(1);
    assertThat(List.copyOf(listing.networks()))
        .allMatch(file -> cni.network(file).validate().isValid());
    assertThat(cni.defaultNetwork().map(Network::name)).hasValue("x");
  }
}
