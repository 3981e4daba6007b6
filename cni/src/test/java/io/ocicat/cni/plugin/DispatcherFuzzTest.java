package io.ocicat.cni.plugin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.Result;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.testkit.Seeded;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever the input, the output is one document or nothing, and the error blames the caller. */
class DispatcherFuzzTest {
  private static final int ROUNDS = 5000;

  private static final String CONFIG =
      """
      {"cniVersion":"1.1.0","name":"edge-net","type":"bridge","capabilities":{"mac":true},
       "runtimeConfig":{"mac":"02:aa:bb:cc:dd:ee"},"ipam":{"type":"host-local"},
       "dns":{"nameservers":["192.0.2.53"]},
       "cni.dev/valid-attachments":[{"containerID":"c42","ifname":"eth0"}],
       "prevResult":{"cniVersion":"1.1.0",
         "interfaces":[{"name":"br7"},{"name":"eth0","mac":"02:00:00:00:00:09","sandbox":"/n"}],
         "ips":[{"interface":1,"address":"10.77.0.4/16","gateway":"10.77.0.1"}],
         "routes":[{"dst":"0.0.0.0/0"}]}}
      """;

  /** Bytes that mean something to a parser, and one that is never UTF-8. */
  private static final String NASTY = "{}[]\",:0123.anull \0\377";

  private static final List<String> COMMANDS =
      List.of("ADD", "DEL", "CHECK", "GC", "STATUS", "VERSION", "", "add", "\0", "ADD;DEL");

  private static final List<String> VALUES =
      List.of(
          "", "c42", "eth0", "/run/netns/x", "..", "../../etc", "a b", "K=V;;", "\0", "ü", "%s");

  /** Reads everything a call has, as real plugins do. */
  private static final Plugin CURIOUS =
      new Plugin() {
        @Override
        public Result add(AddCall call) {
          call.args();
          call.<Object>runtimeConfig(in -> in.mac("mac").optional());
          return call.requirePreviousResult();
        }

        @Override
        public void del(DelCall call) {
          assertThat(call.previousResult()).isNotNull();
        }

        @Override
        public void check(CheckCall call) {
          call.requirePreviousResult();
        }

        @Override
        public void gc(GcCall call) {
          assertThat(call.validAttachments()).isNotNull();
        }

        @Override
        public void status(StatusCall call) {
          assertThat(call.ipam().type()).isNotNull();
        }
      };

  @Test
  void anyRequestHasAnAnswer() {
    Seeded.forAll(
        ROUNDS,
        random -> {
          PluginReply reply =
              Dispatcher.dispatch(
                  CURIOUS, PluginHost.process(), environment(random), stdin(random));
          assertThat(reply.exitCode()).isBetween(0, 1);
          if (reply.exitCode() == 1) {
            CniException error = CniException.fromJson(CniJson.parse(reply.stdout()));
            assertThat(error.code()).as(error.getMessage()).isNotEqualTo(ErrorCode.INTERNAL);
            assertThat(error.msg()).isNotBlank();
          } else if (reply.stdout().length > 0) {
            assertThat(CniJson.parse(reply.stdout()).isObject()).isTrue();
          }
        });
  }

  private static Map<String, String> environment(Random random) {
    Map<String, String> environment = new HashMap<>();
    environment.put("CNI_COMMAND", COMMANDS.get(random.nextInt(COMMANDS.size())));
    environment.put("CNI_CONTAINERID", "c42");
    environment.put("CNI_NETNS", "/run/netns/no-such-namespace");
    environment.put("CNI_IFNAME", "eth0");
    environment.put("CNI_PATH", "/opt/cni/bin");
    if (random.nextInt(4) == 0) {
      List<String> names = List.of("CONTAINERID", "NETNS", "IFNAME", "ARGS", "PATH");
      environment.put(
          "CNI_" + names.get(random.nextInt(names.size())),
          VALUES.get(random.nextInt(VALUES.size())));
    }
    return environment;
  }

  private static byte[] stdin(Random random) {
    byte[] bytes = CONFIG.getBytes(UTF_8);
    switch (random.nextInt(3)) {
      case 0 -> {
        bytes = new byte[random.nextInt(200)];
        random.nextBytes(bytes);
      }
      case 1 -> {
        for (int i = random.nextInt(8); i > 0; i--) {
          bytes[random.nextInt(bytes.length)] = (byte) NASTY.charAt(random.nextInt(NASTY.length()));
        }
      }
      default -> bytes = swapValue(random).getBytes(UTF_8);
    }
    return bytes;
  }

  /** A whole document with one member of another type. */
  private static String swapValue(Random random) {
    List<String> olds =
        List.of(
            "\"1.1.0\"",
            "\"edge-net\"",
            "\"bridge\"",
            "true",
            "{\"type\":\"host-local\"}",
            "[\"192.0.2.53\"]",
            "\"c42\"",
            "1,",
            "\"10.77.0.4/16\"",
            "\"0.0.0.0/0\"",
            "\"br7\"");
    List<String> news =
        List.of("null", "7", "-1", "\"\"", "[]", "{}", "[null]", "1e999", "true", "\"0.4.0\"");
    String old = olds.get(random.nextInt(olds.size()));
    String with = news.get(random.nextInt(news.size())) + (old.endsWith(",") ? "," : "");
    return CONFIG.replace(old, with);
  }
}
