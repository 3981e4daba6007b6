package io.ocicat.cni.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ConfigList;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.cni.plugin.DelCall;
import io.ocicat.cni.plugin.Delegation;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.runtime.Validation.Finding;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What available plugins report about their configuration before a container is attached. */
class ConfigReviewTest {
  /** What a plugin does with a configuration. */
  private record Reader(Function<PluginConfig, List<Delegation>> reading) implements Plugin {
    @Override
    public List<Delegation> review(PluginConfig config) {
      return reading.apply(config);
    }

    @Override
    public Result add(AddCall call) {
      throw new AssertionError("nobody is to be attached");
    }

    @Override
    public void del(DelCall call) {
      throw new AssertionError("nobody is to be detached");
    }
  }

  private static final Plugin VETH =
      new Reader(
          config -> {
            config.read(
                in -> {
                  in.bool("isGateway").or(false);
                  in.objects("trunk").forEach(range -> range.integer("id", 0, 9).or(0));
                  return in.integer("mtu", 0, 9000).or(0);
                });
            return Delegation.toIpamIfAny(config);
          });

  private static final Plugin LEASES =
      new Reader(
          config -> {
            config.read(in -> in.object("ipam").prefix("subnet").required());
            return List.of();
          });

  /** Delegates to the plugin that its member {@code delegate} describes. */
  private static final Plugin OVERLAY =
      new Reader(
          config -> {
            config.read(in -> in.text("file").or("") + in.object("delegate").path());
            PluginConfig made =
                PluginConfig.of(config.json().withObject("delegate").put("type", "veth"));
            return List.of(new Delegation("veth", made, "delegate"));
          });

  private static final Map<String, Plugin> AT_HAND =
      Map.of("veth", VETH, "leases", LEASES, "overlay", OVERLAY);

  @TempDir Path directory;
  private Lab lab;

  @BeforeEach
  void open() {
    lab = new Lab(directory).install("veth", "leases", "overlay", "foreign");
  }

  private Validation validate(String plugins) {
    ConfigList list =
        ConfigList.parse(
            "{\"name\":\"net\",\"cniVersion\":\"1.0.0\",\"plugins\":[%s]}".formatted(plugins));
    return lab.cni()
        .network(list)
        .validate(file -> Optional.ofNullable(AT_HAND.get(file.getFileName().toString())));
  }

  @Test
  void everyBadFieldIsAProblemOfItsOwn() {
    Validation validation =
        validate("{\"type\":\"foreign\"},{\"type\":\"veth\",\"isGateway\":\"yes\",\"mtu\":-1}");

    assertThat(validation.problems())
        .containsExactly(
            new Finding(
                null,
                "plugins[1].isGateway",
                ErrorCode.INVALID_NETWORK_CONFIG,
                "veth: isGateway must be true or false, not \"yes\""),
            new Finding(
                null,
                "plugins[1].mtu",
                ErrorCode.INVALID_NETWORK_CONFIG,
                "veth: mtu must be a whole number 0–9000, not -1"));
    assertThat(validation.warnings()).isEmpty();
  }

  @Test
  void whatManagesAddressesReadsItsPart() {
    assertThat(
            validate("{\"type\":\"veth\",\"ipam\":{\"type\":\"leases\",\"subnet\":\"10/33\"}}")
                .problems())
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.path()).isEqualTo("plugins[0].ipam.subnet");
              assertThat(problem.reason()).startsWith("leases: ipam.subnet ");
            });
  }

  @Test
  void aDelegatesMistakeIsWhereItWasWritten() {
    assertThat(validate("{\"type\":\"overlay\",\"delegate\":{\"mtu\":-1}}").problems())
        .extracting(Finding::path, Finding::reason)
        .containsExactly(
            tuple("plugins[0].delegate.mtu", "veth: mtu must be a whole number 0–9000, not -1"));
    assertThat(validate("{\"type\":\"overlay\",\"delegate\":{\"mtv\":9}}").warnings())
        .extracting(Finding::path)
        .containsExactly("plugins[0].delegate.mtv");
  }

  @Test
  void anyOtherFailureIsTheWholeSections() {
    Plugin refusing =
        new Reader(
            _ -> {
              throw new CniException(ErrorCode.INVALID_NETWORK_CONFIG, "not like this", "at all");
            });

    assertThat(lab.network("1.0.0", "veth").validate(_ -> Optional.of(refusing)).problems())
        .containsExactly(
            new Finding(
                null,
                "plugins[0]",
                ErrorCode.INVALID_NETWORK_CONFIG,
                "veth: not like this; at all"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "isGatway": true             | isGatway   | isGateway
          "mtuu": 7                    | mtuu       | mtu
          "trunk": [{"id":1},{"idd":1}] | trunk[1].idd | id
          """)
  void aMisspeltMemberIsTold(String member, String path, String meant) {
    Validation validation = validate("{\"type\":\"veth\",%s}".formatted(member));

    assertThat(validation.isValid()).isTrue();
    assertThat(validation.warnings())
        .containsExactly(
            new Finding(
                null,
                "plugins[0]." + path,
                ErrorCode.UNSUPPORTED_FIELD,
                "veth: %s is not read; did you mean \"%s\"?".formatted(path, meant)));
  }

  @Test
  void whatIsLikeNothingIsToldWithoutAGuess() {
    assertThat(validate("{\"type\":\"veth\",\"colour\":\"blue\"}").warnings())
        .extracting(Finding::reason)
        .containsExactly("veth: colour is not read");
  }

  @Test
  void ofIpamBothReadersAreAsked() {
    assertThat(
            validate(
                    """
                    {"type":"veth","mtu":7,"ipam":{"type":"leases","subnet":"10.1.0.0/24","subnett":1}}
                    """)
                .warnings())
        .extracting(Finding::reason)
        .containsExactly("veth, leases: ipam.subnett is not read; did you mean \"subnet\"?");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"veth\",\"ISGATEWAY\":true}",
        "{\"type\":\"veth\",\"_comment\":\"x\",\"example.com/owner\":\"y\",\"//\":\"z\"}",
        "{\"type\":\"veth\",\"args\":{\"cni\":{\"any\":1}},\"capabilities\":{\"any\":true}}",
        "{\"type\":\"veth\",\"dns\":{\"nameservers\":[\"10.0.0.1\"]}}",
        "{\"type\":\"veth\",\"ipam\":{\"type\":\"foreign\",\"anything\":1}}",
        "{\"type\":\"foreign\",\"anything\":1,\"ipam\":{\"type\":\"leases\",\"subnet\":7}}",
        "{\"type\":\"overlay\",\"file\":\"f\",\"delegate\":{\"type\":\"veth\",\"mtu\":9}}"
      })
  void whatIsRightOrSomebodyElsesIsLeftAlone(String plugin) {
    Validation validation = validate(plugin);
    assertThat(validation.problems()).isEmpty();
    assertThat(validation.warnings()).isEmpty();
  }

  @Test
  void aSectionThatWasNotReadToItsEndIsNotWarnedOf() {
    assertThat(validate("{\"type\":\"veth\",\"mtu\":-1,\"colour\":\"blue\"}").warnings()).isEmpty();
  }
}
