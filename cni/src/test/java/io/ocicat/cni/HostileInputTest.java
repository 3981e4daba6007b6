package io.ocicat.cni;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.testkit.Seeded;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Whatever the bytes, a decoder either accepts them or rejects them with a CniException. */
class HostileInputTest {
  private static final List<Consumer<byte[]>> DECODERS =
      List.of(
          bytes -> assertStable(Result.parse(bytes, SpecVersion.LATEST)),
          bytes -> assertStable(Result.parse(bytes, SpecVersion.V0_4_0)),
          bytes -> assertStable(Result.parse(bytes, SpecVersion.V0_2_0)),
          HostileInputTest::configList,
          HostileInputTest::pluginConfig,
          bytes -> VersionReply.parse(bytes).toJson(),
          bytes -> CniException.fromJson(CniJson.parse(bytes)).toJson(),
          bytes -> CniArgs.parse(new String(bytes, StandardCharsets.UTF_8)).refuseUnknown(Set.of()),
          bytes -> VersionNumber.parse(new String(bytes, StandardCharsets.UTF_8)));

  private static final List<String> REAL =
      List.of(
          """
          {"cniVersion":"1.1.0","interfaces":[{"name":"eth0","mac":"02:00:00:00:00:02","mtu":1450,"sandbox":"/run/netns/b"}],
           "ips":[{"interface":0,"address":"192.0.2.7/24","gateway":"192.0.2.1"},null],
           "routes":[{"dst":"198.51.100.0/24","gw":"192.0.2.1","priority":50,"table":100,"scope":0}],
           "dns":{"nameservers":["192.0.2.53"]},"x":1.50}
          """,
          """
          {"cniVersion":"0.2.0","ip4":{"ip":"192.0.2.7/24","routes":[{"dst":"0.0.0.0/0"}]},"ip6":{"ip":"2001:db8::7/64"}}
          """,
          """
          {"cniVersion":"1.0.0","cniVersions":["0.4.0","1.1.0"],"name":"edge-net","disableCheck":"true",
           "plugins":[{"type":"bridge","ipam":{"type":"host-local"},"capabilities":{"mac":true}}]}
          """,
          """
          {"cniVersion":"1.1.0","name":"n","type":"tuning","runtimeConfig":{"mac":"02:aa:bb:cc:dd:ee"},
           "cni.dev/valid-attachments":[{"containerID":"c42","ifname":"eth0"}],
           "prevResult":{"cniVersion":"1.1.0","ips":[{"address":"10.77.0.4/16"}]}}
          """,
          "{\"cniVersion\":\"1.1.0\",\"supportedVersions\":[\"0.4.0\",\"1.1.0\"]}",
          "{\"code\":7,\"msg\":\"subnet too small\",\"details\":\"x\"}",
          "IgnoreUnknown=1;K8S_POD_NAME=web-0");

  private static final String[] FRAGMENTS = {
    "null",
    "{}",
    "[]",
    "\"\"",
    "-1",
    "1e400",
    "99999999999999999999",
    "true",
    "\"::/0\"",
    "\"x/33\"",
    ",",
    ":",
    "\"",
    "\\u0000",
    "\\",
    "{",
    "]",
    "\u0000",
    "1.1.0",
    "0.3.0",
    "é",
    "\ud83d\ude00",
  };

  private static void assertStable(Result result) {
    byte[] printed = Json.compactBytes(result.toJson());
    assertThat(Result.parse(printed, result.version())).isEqualTo(result);
    for (SpecVersion version : SpecVersion.values()) {
      if (version.family() != SpecVersion.Family.V0_2 || !result.ips().isEmpty()) {
        result.convertTo(version).toJson();
      }
    }
  }

  private static void configList(byte[] bytes) {
    ConfigList list = ConfigList.parse(bytes);
    assertThat(ConfigList.parse(list.bytes()).toJson()).isEqualTo(list.toJson());
    list.plugins()
        .forEach(plugin -> plugin.request(list.name(), list.effectiveVersion()).toConfig());
  }

  private static void pluginConfig(byte[] bytes) {
    PluginConfig config = PluginConfig.ofRequest(bytes);
    PluginConfig.ofRequest(config.request("n", "1.1.0").toConfig().bytes());
    config.validAttachments();
    config.previousResult();
  }

  private static void feed(byte[] bytes) {
    for (Consumer<byte[]> decoder : DECODERS) {
      try {
        decoder.accept(bytes);
      } catch (CniException refused) {
        assertThat(refused.getMessage()).isNotBlank();
      }
    }
  }

  @Test
  void understandsOrRefusesAnyBytes() {
    Seeded.forAll(
        2_000,
        random -> {
          byte[] bytes = new byte[random.nextInt(200)];
          random.nextBytes(bytes);
          feed(bytes);
        });
  }

  @Test
  void understandsOrRefusesDamagedDocuments() {
    Seeded.forAll(
        6_000,
        random -> {
          String text = REAL.get(random.nextInt(REAL.size()));
          for (int i = random.nextInt(4); i >= 0; i--) {
            text = damage(text, random);
          }
          feed(text.getBytes(StandardCharsets.UTF_8));
        });
  }

  private static String damage(String text, Random random) {
    int from = random.nextInt(text.length() + 1);
    int to = Math.min(text.length(), from + random.nextInt(12));
    String fragment = FRAGMENTS[random.nextInt(FRAGMENTS.length)];
    return switch (random.nextInt(4)) {
      case 0 -> text.substring(0, from) + text.substring(to);
      case 1 -> text.substring(0, from) + fragment + text.substring(from);
      case 2 -> text.substring(0, from) + fragment + text.substring(to);
      default -> replaceValue(text, fragment, random);
    };
  }

  /**
   * Keeps the document well-formed more often: replaces one quoted string or number with a
   * fragment.
   */
  private static String replaceValue(String text, String fragment, Random random) {
    int start = text.indexOf(':', random.nextInt(text.length() + 1));
    if (start < 0) {
      return text;
    }
    int end = start + 1;
    while (end < text.length() && ",]}".indexOf(text.charAt(end)) < 0) {
      end++;
    }
    return text.substring(0, start + 1) + fragment + text.substring(end);
  }
}
