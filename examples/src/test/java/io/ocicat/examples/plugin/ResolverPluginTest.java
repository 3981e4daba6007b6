package io.ocicat.examples.plugin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.Verb;
import io.ocicat.cni.plugin.Dispatcher;
import io.ocicat.cni.plugin.PluginHost;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Output;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How to test a plugin: the dispatcher is a function from a request to a reply. */
class ResolverPluginTest {
  private static final String CONF =
      """
      { "cniVersion": "1.0.0", "name": "edge-net", "type": "resolver",
        "nameserver": "10.96.0.10", "search": ["svc.example"],
        "prevResult": { "cniVersion": "1.0.0", "ips": [ { "address": "10.77.0.4/16" } ],
                        "dns": { "nameservers": ["192.0.2.53"], "search": ["lab.example"] } } }
      """;

  @Test
  void addPutsTheNameServerFirst() {
    PluginReply reply = call(Verb.ADD, CONF);
    assertThat(compact(reply))
        .isEqualTo(
            "{\"cniVersion\":\"1.0.0\",\"ips\":[{\"address\":\"10.77.0.4/16\"}],"
                + "\"dns\":{\"nameservers\":[\"10.96.0.10\",\"192.0.2.53\"],"
                + "\"search\":[\"svc.example\",\"lab.example\"]}}");
    assertThat(reply.stderr()).isEqualTo("c42 asks 10.96.0.10 first\n");
  }

  @Test
  void badConfigurationIsReportedWithItsPath() {
    String bad = CONF.replace("10.96.0.10", "10.96.0.256").replace("[\"svc.example\"]", "[7]");
    assertThat(compact(call(Verb.ADD, bad)))
        .contains("\"code\":7", "nameserver", "10.96.0.256", "search[0] must be a string, not 7");
  }

  @Test
  void itCannotBeTheFirstPlugin() {
    assertThat(compact(call(Verb.ADD, CONF.replace("prevResult", "ignored"))))
        .contains("\"code\":7", "must be called as chained plugin");
  }

  @Test
  void checkMissesTheNameServer() {
    assertThat(compact(call(Verb.CHECK, CONF))).contains("c42 does not ask 10.96.0.10");
    String complete = CONF.replace("192.0.2.53", "10.96.0.10");
    assertThat(call(Verb.CHECK, complete).exitCode()).isZero();
  }

  @Test
  void delSucceedsWithoutAnything() {
    assertThat(call(Verb.DEL, "{\"name\":\"edge-net\"}").exitCode()).isZero();
  }

  @Test
  void itIsAnExecutable() {
    Output output =
        Command.of(
                System.getProperty("java.home") + "/bin/java",
                "-cp",
                System.getProperty("java.class.path"),
                ResolverPlugin.class.getName())
            .env("CNI_COMMAND", "VERSION")
            .run();
    assertThat(output.stdout()).contains("\"supportedVersions\"", "\"1.1.0\"");
  }

  private static PluginReply call(Verb verb, String stdin) {
    Map<String, String> environment =
        new CniEnvironment(verb, "c42", "/run/netns/c42", "eth0", "", "").over(Map.of());
    return Dispatcher.dispatch(
        new ResolverPlugin(), PluginHost.process(), environment, stdin.getBytes(UTF_8));
  }

  private static String compact(PluginReply reply) {
    return Json.compact(CniJson.parse(reply.stdout()));
  }
}
