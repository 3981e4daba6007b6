package io.ocicat.datastore.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.config.Secret;
import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueEvent;
import io.ocicat.datastore.kv.KeyValueWatch;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.kv.TransactionOutcome;
import io.ocicat.testkit.Eventually;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Users and passwords: {@code root} may do everything, {@code felix} what is under /calico/. */
class EtcdAuthTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  /** Tokens that end after a second. */
  @RegisterExtension
  final EtcdServer etcd = new EtcdServer("--auth-token-ttl", "1", "--bcrypt-cost", "4");

  private void enableLogin() {
    etcd.post("auth/user/add", "{\"name\":\"root\",\"password\":\"secret\"}");
    etcd.post("auth/user/grant", "{\"user\":\"root\",\"role\":\"root\"}");
    etcd.post("auth/user/add", "{\"name\":\"felix\",\"password\":\"cat\"}");
    etcd.post("auth/role/add", "{\"name\":\"calico\"}");
    // Keys in base64: /calico/ up to /calico0
    etcd.post(
        "auth/role/grant",
        "{\"name\":\"calico\",\"perm\":{\"permType\":\"READWRITE\",\"key\":\"L2NhbGljby8=\",\"range_end\":\"L2NhbGljbzA=\"}}");
    etcd.post("auth/user/grant", "{\"user\":\"felix\",\"role\":\"calico\"}");
    etcd.post("auth/enable", "{}");
  }

  private EtcdStore open(String user, String password) {
    return EtcdStore.open(
        new DatastoreConfig.Etcd(
            List.of(etcd.url()), "", user, new Secret(password), DatastoreConfig.Tls.NONE));
  }

  @Test
  void aUserMayWhatItsRoleMay() {
    enableLogin();
    try (EtcdStore store = open("felix", "cat")) {
      assertThat(store.commit(Transaction.create("/calico/a", "1")))
          .isInstanceOf(TransactionOutcome.Committed.class);
      assertThat(store.get("/calico/a")).map(KeyValue::value).contains("1");
      assertThatThrownBy(() -> store.get("/registry/a"))
          .isInstanceOf(UnauthorizedException.class)
          .hasMessageContaining(etcd.url())
          .hasMessageContaining("/registry/a")
          .hasMessageContaining("role");
      assertThatThrownBy(() -> store.commit(Transaction.put("/registry/a", "")))
          .isInstanceOf(UnauthorizedException.class);
      try (KeyValueWatch watch = store.watch("/registry/", 1)) {
        assertThatThrownBy(() -> watch.next(LONG)).isInstanceOf(UnauthorizedException.class);
        assertThatThrownBy(() -> watch.next(LONG)).isInstanceOf(UnauthorizedException.class);
      }
    }
  }

  @Test
  void aTokenThatEndsIsRenewed() {
    enableLogin();
    try (EtcdStore store = open("felix", "cat");
        KeyValueWatch watch = store.watch("/calico/", 2)) {
      store.commit(Transaction.put("/calico/a", "1"));
      assertThat(watch.next(LONG).events()).hasSize(1);
      // Younger than our own, and each used once, since use prolongs a token's life.
      Deque<String> tokens = new ArrayDeque<>();
      for (int i = 0; i < 60; i++) {
        tokens.add(
            etcd.post("auth/authenticate", "{\"name\":\"root\",\"password\":\"secret\"}")
                .path("token")
                .asString());
      }
      Eventually.await("the end of a token", LONG, () -> hasEnded(tokens.remove()));

      store.commit(Transaction.put("/calico/a", "2"));
      assertThat(store.get("/calico/a")).map(KeyValue::value).contains("2");
      try (KeyValueWatch later = store.watch("/calico/", 2)) {
        assertThat(later.next(LONG).events()).isNotEmpty();
      }
      assertThat(watch.next(LONG).events()).hasSize(1);
    }
  }

  private boolean hasEnded(String token) {
    try {
      etcd.post("kv/range", "{\"key\":\"AA==\"}", token);
      return false;
    } catch (UncheckedIOException _) {
      return true;
    }
  }

  @Test
  void aRestartForgetsTokensButNotUsers() {
    enableLogin();
    try (EtcdStore store = open("root", "secret");
        KeyValueWatch watch = store.watch("/", 2)) {
      store.commit(Transaction.put("/a", "1"));
      assertThat(watch.next(LONG).events()).hasSize(1);
      etcd.kill();
      etcd.start();

      store.commit(Transaction.put("/a", "2"));
      assertThat(watch.next(LONG).events()).extracting(KeyValueEvent::revision).containsExactly(3L);
    }
  }

  @Test
  void aWrongPasswordIsReportedWithoutShowingIt() {
    enableLogin();
    try (EtcdStore store = open("felix", "dog")) {
      assertThatThrownBy(() -> store.get("/calico/a"))
          .isInstanceOf(UnauthorizedException.class)
          .hasMessageContaining(etcd.url())
          .hasMessageContaining("ETCD_PASSWORD")
          .hasMessageNotContaining("dog");
      try (KeyValueWatch watch = store.watch("/calico/", 1)) {
        assertThatThrownBy(() -> watch.next(LONG)).isInstanceOf(UnauthorizedException.class);
      }
    }
  }

  @Test
  void aUserIsAskedForWhereEtcdWantsOne() {
    enableLogin();
    try (EtcdStore store = etcd.open()) {
      assertThatThrownBy(() -> store.get("/calico/a"))
          .isInstanceOf(UnauthorizedException.class)
          .hasMessageContaining("authentication enabled")
          .hasMessageContaining("ETCD_USERNAME");
    }
  }

  @Test
  void aUserIsRejectedWhereEtcdHasAuthenticationDisabled() {
    try (EtcdStore store = open("felix", "cat")) {
      assertThatThrownBy(() -> store.get("/calico/a"))
          .isInstanceOf(UnauthorizedException.class)
          .hasMessageContaining("authentication disabled")
          .hasMessageContaining("etcdctl auth enable");
    }
  }
}
