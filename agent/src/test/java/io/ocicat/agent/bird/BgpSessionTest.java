package io.ocicat.agent.bird;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two BIRDs, and what each says in every state their session can be in. */
@Hosts
class BgpSessionTest {
  private static final String A = "10.7.0.1";
  private static final String B = "10.7.0.2";

  @TempDir Path folderA;
  @TempDir Path folderB;

  private void await(TestBird bird, String state, String info) {
    Eventually.passes(
        TestBird.LIMIT,
        () ->
            assertThat(bird.sessions())
                .singleElement()
                .satisfies(
                    session -> {
                      assertThat(session.state()).isEqualTo(state);
                      assertThat(session.info()).isEqualTo(info);
                    }));
  }

  @Test
  void anEstablishedSessionHasItsRoutesAndNoHint(Host a, Host b) {
    a.connect(b, A + "/24", B + "/24");
    try (TestBird one = new TestBird(a, folderA).want(TestBird.mesh(A, B));
        TestBird two = new TestBird(b, folderB).want(TestBird.mesh(B, A))) {
      await(one, "Established", "");
      await(two, "Established", "");
      BgpStatus status = one.status().orElseThrow();
      assertThat(status.isReady()).isTrue();
      assertThat(status.problems()).isEmpty();
      assertThat(status.established()).isOne();
      assertThat(status.version()).startsWith("2.");
      assertThat(one.session().type()).isEqualTo(BgpSession.PeerType.MESH);
      assertThat(one.session().address()).isEqualTo(B);
      assertThat(one.session().hint()).isEmpty();
      Eventually.await(
          "the other's route", () -> a.exec("ip", "route").stdout().contains("10.2.0.0 via " + B));
      try (BirdControl control = one.connect().restricted()) {
        BgpSession session = BgpSession.among(control.protocolsInDetail()).getFirst();
        assertThat(session.imported()).isOne();
        assertThat(session.exported()).isOne();
        assertThat(session.isUp()).isTrue();
        assertThat(control.routes())
            .contains(
                new BirdRoute("10.2.0.0/32", "unicast", "Mesh_10_7_0_2", true, B, "wire0"),
                new BirdRoute("10.1.0.0/32", "blackhole", "static4", true, "", ""));
      }
    }
  }

  @Test
  void aPeerThatIsNotThereIsListedAndMakesTheNodeNotReady(Host a, Host b) {
    a.connect(b, A + "/24", B + "/24");
    try (TestBird one = new TestBird(a, folderA).want(TestBird.mesh(A, B)).awaitRunning()) {
      Eventually.await(
          "the reason",
          TestBird.LIMIT,
          () ->
              one.sessions().stream()
                  .anyMatch(session -> session.info().equals("Socket: Connection refused")));
      BgpStatus status = one.status().orElseThrow();
      assertThat(status.isReady()).isFalse();
      assertThat(status.problems())
          .singleElement()
          .asString()
          .startsWith("BGP session with 10.7.0.2 (node-to-node mesh) is not established: ")
          .endsWith(
              ", Socket: Connection refused; the peer's machine answers, but no BGP speaker"
                  + " listens there");
    }
  }

  @Test
  void differentAsNumbersAreNamedOnBothSides(Host a, Host b) {
    a.connect(b, A + "/24", B + "/24");
    try (TestBird one =
            new TestBird(a, folderA).want(TestBird.mesh(A, B, 65001, "passive on;", 1));
        TestBird two = new TestBird(b, folderB).want(TestBird.mesh(B, A, 64512, "", 1))) {
      Eventually.await(
          "the reason",
          TestBird.LIMIT,
          () ->
              one.sessions().stream().anyMatch(s -> s.info().equals("BGP Error: Bad peer AS"))
                  && two.sessions().stream()
                      .anyMatch(s -> s.info().equals("Received: Bad peer AS")));
      assertThat(one.session().hint())
          .hasValueSatisfying(hint -> assertThat(hint).startsWith("the peer has another AS"));
      assertThat(two.session().hint())
          .hasValueSatisfying(hint -> assertThat(hint).startsWith("the peer expects another AS"));
    }
  }

  @Test
  void differentPasswordsLookLikeSilence(Host a, Host b) {
    a.connect(b, A + "/24", B + "/24");
    try (TestBird one =
            new TestBird(a, folderA).want(TestBird.mesh(A, B, 64512, "password \"x\";", 1));
        TestBird two =
            new TestBird(b, folderB)
                .want(TestBird.mesh(B, A, 64512, "password \"y\"; passive on;", 1))) {
      await(one, "Connect", "");
      await(two, "Passive", "");
      assertThat(one.session().hint())
          .hasValueSatisfying(hint -> assertThat(hint).contains("passwords differ", "firewall"));
      assertThat(two.status().orElseThrow().isReady()).isFalse();
    }
  }

  @Test
  void aCutLinkShowsAsAnExpiredHoldTimer(Host a, Host b) {
    a.connect(b, A + "/24", B + "/24");
    String fast = "hold time 3; keepalive time 1;";
    try (TestBird one = new TestBird(a, folderA).want(TestBird.mesh(A, B, 64512, fast, 1));
        TestBird two = new TestBird(b, folderB).want(TestBird.mesh(B, A, 64512, fast, 1))) {
      await(one, "Established", "");
      await(two, "Established", "");
      a.exec(
          "nft",
          "add table ip cut; add chain ip cut in { type filter hook input priority 0; policy drop;"
              + " }");
      Eventually.passes(
          TestBird.LIMIT,
          () -> assertThat(one.session().info()).isEqualTo("BGP Error: Hold timer expired"));
      assertThat(one.session().hint())
          .hasValueSatisfying(hint -> assertThat(hint).contains("hold time"));
    }
  }

  @Test
  void reloadsWithAThousandRoutesKeepTheSession(Host a, Host b) {
    a.connect(b, A + "/24", B + "/24");
    try (TestBird one = new TestBird(a, folderA).want(TestBird.mesh(A, B));
        TestBird two = new TestBird(b, folderB).want(TestBird.mesh(B, A))) {
      await(one, "Established", "");
      await(two, "Established", "");
      String since = one.session().since();
      for (int routes : List.of(1000, 500, 1000)) {
        one.want(TestBird.mesh(A, B, 64512, "", routes));
        Eventually.await(
            routes + " routes",
            TestBird.LIMIT,
            () ->
                b.exec("ip", "route", "show", "proto", "bird")
                        .stdout()
                        .lines()
                        .filter(line -> line.startsWith("10.1."))
                        .count()
                    == routes);
      }
      Eventually.await("three reloads", () -> one.status().orElseThrow().reloads() == 3);
      assertThat(one.session().since()).isEqualTo(since);
      assertThat(two.session().isEstablished()).isTrue();
    }
  }

  /** Calico's rule: at first every peer, later one is enough. */
  @Test
  void readinessAsksForAllPeersAtFirstAndForOneLater() {
    BgpSession up =
        new BgpSession("Mesh_1", BgpSession.PeerType.MESH, B, true, "Established", "", "", 0, 0);
    BgpSession down =
        new BgpSession("Mesh_2", BgpSession.PeerType.MESH, A, false, "Connect", "", "", 0, 0);
    assertThat(status(false, false).isReady()).isTrue();
    assertThat(status(false, true).isReady()).isTrue();
    assertThat(status(false, false, up, down).isReady()).isTrue();
    assertThat(status(false, false, up, down).problems()).hasSize(1);
    assertThat(status(false, true, up, down).isReady()).isFalse();
    assertThat(status(false, true, up, down).problems()).isEmpty();
    assertThat(status(false, false, down).isReady()).isFalse();
    assertThat(status(true, true, up).isReady()).isFalse();
    assertThat(status(true, false, up).isReady()).isTrue();
    assertThat(BgpStatus.notRunning(false, 0, List.of()).isReady()).isFalse();
  }

  private static BgpStatus status(boolean recovering, boolean settling, BgpSession... sessions) {
    return new BgpStatus(true, "2", recovering, settling, List.of(sessions), 0, List.of());
  }
}
