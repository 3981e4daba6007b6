package io.ocicat.agent.bird;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.testkit.Seeded;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Answers captured from BIRD 2.0.12, and anything else. */
class BirdOutputTest {
  private static final List<String> CAPTURED =
      List.of("status", "recovering", "protocols", "protocols-all", "routes");

  private static String captured(String name) {
    try (InputStream file =
        Objects.requireNonNull(BirdOutputTest.class.getResourceAsStream(name + ".txt"), name)) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void statusTellsVersionRouterAndTimes() {
    assertThat(BirdDaemon.of(BirdReplyReader.parse(captured("status"))))
        .isEqualTo(
            new BirdDaemon(
                "2.0.12", "0.0.0.1", "2026-11-18 05:31:40.527", "2026-11-18 05:31:40.527", false));
    assertThat(BirdDaemon.of(BirdReplyReader.parse(captured("recovering"))).isRecovering())
        .isTrue();
  }

  @Test
  void protocolsTellStateAndInfo() {
    List<BirdProtocol> protocols =
        BirdProtocol.listOf(BirdReplyReader.parse(captured("protocols")));
    assertThat(protocols).hasSize(9);
    assertThat(BgpSession.among(protocols))
        .extracting(BgpSession::address, BgpSession::state, BgpSession::info, BgpSession::since)
        .containsExactly(
            org.assertj.core.api.Assertions.tuple("10.7.0.2", "Established", "", "05:27:11.916"),
            org.assertj.core.api.Assertions.tuple("fd07::2", "Established", "", "05:27:11.708"),
            org.assertj.core.api.Assertions.tuple(
                "10.7.0.99", "Connect", "Socket: No route to host", "05:27:10.919"));
  }

  @Test
  void detailsTellAddressesAndRoutes() {
    List<BirdProtocol> protocols =
        BirdProtocol.listOf(BirdReplyReader.parse(captured("protocols-all")));
    assertThat(protocols).hasSize(9);
    assertThat(BgpSession.among(protocols))
        .containsExactly(
            new BgpSession(
                "Mesh_10_7_0_2",
                BgpSession.PeerType.MESH,
                "10.7.0.2",
                true,
                "Established",
                "05:27:11.916",
                "",
                1,
                1),
            new BgpSession(
                "Mesh_fd07__2",
                BgpSession.PeerType.MESH,
                "fd07::2",
                true,
                "Established",
                "05:27:11.708",
                "",
                1,
                1),
            new BgpSession(
                "Global_10_7_0_99_port_179",
                BgpSession.PeerType.GLOBAL,
                "10.7.0.99",
                false,
                "Connect",
                "05:27:10.919",
                "Socket: No route to host",
                0,
                0));
  }

  @Test
  void aLongTimeFormatIsOneColumn() {
    List<BirdProtocol> protocols =
        BirdProtocol.listOf(
            BirdReplyReader.parse(
                """
                2002-Name       Proto      Table      State  Since         Info
                1002-Node_10_0_0_9 BGP        ---        start  2026-11-18 05:27:10.919  Active        Received: Administrative shutdown
                0000\s
                """));
    assertThat(BgpSession.among(protocols).getFirst())
        .returns("2026-11-18 05:27:10.919", BgpSession::since)
        .returns("Active", BgpSession::state)
        .returns("Received: Administrative shutdown", BgpSession::info)
        .returns(BgpSession.PeerType.NODE, BgpSession::type);
  }

  @Test
  void routesTellWhereTheyComeFrom() {
    assertThat(BirdRoute.listOf(BirdReplyReader.parse(captured("routes"))))
        .containsExactly(
            new BirdRoute("10.9.2.0/26", "unicast", "Mesh_10_7_0_2", true, "10.7.0.2", "e1"),
            new BirdRoute("10.9.2.0/26", "unicast", "kernel4", false, "10.7.0.9", "e1"),
            new BirdRoute("10.9.1.0/26", "blackhole", "static4", true, "", ""),
            new BirdRoute("10.7.0.0/24", "unicast", "direct1", true, "", "e1"),
            new BirdRoute("fd10::1:0/122", "blackhole", "static6", true, "", ""),
            new BirdRoute("fd10::2:0/122", "unicast", "Mesh_fd07__2", true, "fd07::2", "e1"),
            new BirdRoute("fd07::/64", "unicast", "direct1", true, "", "e1"));
  }

  @Test
  void anErrorInAFileHasItsPosition() {
    assertThat(BirdException.InvalidConfiguration.of("/run/x y/bird.conf:12:34 syntax error: a"))
        .returns(12, BirdException.InvalidConfiguration::line)
        .returns(34, BirdException.InvalidConfiguration::column)
        .returns("syntax error: a", BirdException.InvalidConfiguration::reason);
    assertThat(BirdException.InvalidConfiguration.of("/none: No such file or directory"))
        .returns(0, BirdException.InvalidConfiguration::line)
        .returns("/none: No such file or directory", BirdException.InvalidConfiguration::reason);
  }

  @Test
  void whatIsNotBirdsIsRefused() {
    for (String text : List.of("", "hello\n", "12 x\n", "0001-goes on\n", "0000 \n0000 \n")) {
      assertThatThrownBy(() -> BirdReplyReader.parse(text))
          .as(text)
          .isInstanceOf(BirdException.Malformed.class);
    }
    BirdReply empty = BirdReplyReader.parse("0000 \n");
    assertThat(BirdProtocol.listOf(empty)).isEmpty();
    assertThat(BirdRoute.listOf(empty)).isEmpty();
    assertThatThrownBy(() -> BirdDaemon.of(empty)).isInstanceOf(BirdException.Malformed.class);
  }

  @Test
  void anyTextIsReadOrRefused() {
    List<Function<BirdReply, Object>> readers =
        List.of(
            BirdDaemon::of,
            reply -> BgpSession.among(BirdProtocol.listOf(reply)).stream().map(BgpSession::hint),
            BirdRoute::listOf);
    Seeded.forAll(
        2000,
        random -> {
          String text = damaged(captured(CAPTURED.get(random.nextInt(CAPTURED.size()))), random);
          for (Function<BirdReply, Object> reader : readers) {
            try {
              assertThat(reader.apply(BirdReplyReader.parse(text))).isNotNull();
            } catch (BirdException.Malformed e) {
              assertThat(e).hasMessageNotContaining("null");
            }
          }
        });
  }

  private static String damaged(String text, Random random) {
    StringBuilder damaged = new StringBuilder(text);
    for (int i = random.nextInt(10); i >= 0 && !damaged.isEmpty(); i--) {
      int at = random.nextInt(damaged.length());
      switch (random.nextInt(4)) {
        case 0 -> damaged.setCharAt(at, (char) random.nextInt(300));
        case 1 -> damaged.delete(at, Math.min(damaged.length(), at + random.nextInt(60)));
        case 2 -> damaged.insert(at, damaged.substring(at, Math.min(damaged.length(), at + 40)));
        default -> damaged.insert(at, "\n");
      }
    }
    return damaged.toString();
  }
}
