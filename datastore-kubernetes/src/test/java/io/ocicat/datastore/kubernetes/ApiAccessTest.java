package io.ocicat.datastore.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.config.Secret;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.kubernetes.client.AccessSource;
import io.ocicat.datastore.kubernetes.client.ApiAccess;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.datastore.model.Crds;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.resource.ResourceWatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where server and credentials are read from, and that they are read again. */
class ApiAccessTest {
  private final ApiServer server = new ApiServer();
  @TempDir private Path directory;

  @BeforeEach
  void define() {
    server.define(Crds.of(ApiGroup.V1));
    server.accept("right");
  }

  @AfterEach
  void close() {
    server.close();
  }

  private String kubeconfig(String user) {
    return """
        apiVersion: v1
        kind: Config
        current-context: here
        contexts:
        - name: here
          context: {cluster: local, user: me}
        - name: there
          context: {cluster: local, user: nobody}
        - name: broken
          context: {cluster: none, user: me}
        clusters:
        - name: local
          cluster: {server: "%s"}
        users:
        - name: me
          user: {%s}
        - name: nobody
          user: {}
        """
        .formatted(server.url(), user);
  }

  private Path write(String name, String text) throws IOException {
    Path file = Files.writeString(directory.resolve(name), text);
    return Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000_000_000L));
  }

  private static DatastoreConfig.Kubernetes with(
      Path kubeconfig, String inline, String context, String token) {
    return new DatastoreConfig.Kubernetes(
        kubeconfig.toString(),
        new Secret(inline),
        context,
        "",
        new Secret(token),
        "",
        "",
        "",
        false,
        false,
        "",
        0,
        0);
  }

  private static void assertWorks(Datastore datastore) {
    try (datastore) {
      assertThat(datastore.list(ResourceQuery.of(Kind.IP_POOL)).items()).isEmpty();
    }
  }

  private static String failure(DatastoreConfig.Kubernetes config) {
    try (KubernetesDatastore datastore = Opening.open(config)) {
      datastore.list(ResourceQuery.of(Kind.IP_POOL));
    } catch (InvalidException | UnauthorizedException e) {
      return String.valueOf(e.getMessage());
    }
    throw new AssertionError("it should have failed");
  }

  @Test
  void aKubeconfigNamesServerAndToken() throws IOException {
    assertWorks(Opening.open(Opening.kubeconfig(write("config", kubeconfig("token: right")))));
  }

  @Test
  void aKubeconfigMayBeGivenAsText() {
    assertWorks(Opening.open(with(Path.of(""), kubeconfig("token: right"), "", "")));
  }

  @Test
  void itsContextMayBeChosen() throws IOException {
    Path file = write("config", kubeconfig("token: right"));

    assertThat(failure(with(file, "", "there", ""))).contains("unauthorized", "context there");
    assertThat(failure(with(file, "", "broken", ""))).contains("no cluster \"none\"", "[local]");
    assertThat(failure(with(file, "", "none", "")))
        .contains("no context \"none\"", "[here, there, broken]");
    assertWorks(Opening.open(with(file, "", "there", "right")));
  }

  @Test
  void aTokenMayBeInAFileNextToIt() throws IOException {
    write("token", "right\n");

    assertWorks(Opening.open(Opening.kubeconfig(write("config", kubeconfig("tokenFile: token")))));
  }

  @Test
  void theUsersOwnKubeconfigIsFound() throws IOException {
    Path own = write("config", kubeconfig("token: right"));
    AccessSource.Environment around =
        new AccessSource.Environment(own, Path.of("/nonexistent"), "", "");

    assertWorks(KubernetesDatastore.open(with(Path.of(""), "", "", ""), around));
  }

  @Test
  void aPodIsGivenServerAuthorityAndToken() throws IOException {
    write("token", "right");
    write("ca.crt", "");
    AccessSource.Environment pod =
        new AccessSource.Environment(Path.of("/nonexistent"), directory, "fd00::1", "6443");

    ApiAccess access = new AccessSource(with(Path.of(""), "", "", ""), pod).read();

    assertThat(access.server()).hasToString("https://[fd00::1]:6443");
    assertThat(access.token().value()).isEqualTo("right");
    assertThat(access.files())
        .containsExactly(directory.resolve("token"), directory.resolve("ca.crt"));
  }

  @Test
  void withoutAnythingItSaysWhatToSet() {
    assertThat(failure(with(Path.of(""), "", "", "")))
        .contains("KUBECONFIG", "K8S_API_ENDPOINT", "/nonexistent");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a: [ | is not valid YAML",
        "hello | not a map",
        "kind: Config | no current-context",
        "{current-context: x} | has no context \"x\": it has []",
      })
  void whatIsWrongWithAKubeconfigIsTold(String text, String problem) throws IOException {
    Path file = write("config", text);

    assertThat(failure(Opening.kubeconfig(file))).contains(file.toString(), problem);
  }

  @ParameterizedTest
  @CsvSource({
    "'exec: {command: x}', exec of user me",
    "'client-certificate: x.crt', x.crt does not exist",
    "'client-certificate-data: eA==', only one of client-certificate and client-key",
    "'client-key-data: =', is not base64",
    "'tokenFile: none', none does not exist",
    "'token: \"a b\"', characters that no token has",
  })
  void unusableCredentialsAreReported(String user, String problem) throws IOException {
    assertThat(failure(Opening.kubeconfig(write("config", kubeconfig(user))))).contains(problem);
  }

  /** Review R14: reading it would wait for its writer. */
  @Test
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aPipeIsNotReadAsAFile() throws IOException, InterruptedException {
    Path pipe = directory.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    assertThat(failure(Opening.kubeconfig(pipe))).contains(pipe.toString(), "not a regular file");
    assertThat(failure(Opening.kubeconfig(write("config", kubeconfig("tokenFile: " + pipe)))))
        .contains(pipe.toString(), "not a regular file");
  }

  @Test
  void aMissingKubeconfigIsNamed() {
    assertThat(failure(Opening.kubeconfig(directory.resolve("none"))))
        .contains(directory.resolve("none").toString(), "does not exist");
  }

  @Test
  void aTokenThatWasRenewedIsUsedAtOnce() throws IOException {
    Path token = write("token", "right");
    try (KubernetesDatastore datastore =
        Opening.open(Opening.kubeconfig(write("config", kubeconfig("tokenFile: token"))))) {
      datastore.list(ResourceQuery.of(Kind.IP_POOL));
      server.accept("newer");
      renew(token, "newer");
      server.forgetSeen();

      datastore.list(ResourceQuery.of(Kind.IP_POOL));

      assertThat(server.seen()).extracting(ApiServer.Seen::token).containsExactly("Bearer newer");
    }
  }

  /** As if the file system's clock were too coarse. */
  @Test
  void aRefusalMakesItReadCredentialsOnceMore() throws IOException {
    Path file = write("config", kubeconfig("token: right"));
    try (KubernetesDatastore datastore = Opening.open(Opening.kubeconfig(file))) {
      datastore.list(ResourceQuery.of(Kind.IP_POOL));
      server.accept("newer");
      write("config", kubeconfig("token: newer"));
      server.forgetSeen();

      datastore.list(ResourceQuery.of(Kind.IP_POOL));

      assertThat(server.seen())
          .extracting(ApiServer.Seen::token)
          .containsExactly("Bearer right", "Bearer newer");
      server.accept("other");
      server.forgetSeen();
      assertThatThrownBy(() -> datastore.list(ResourceQuery.of(Kind.IP_POOL)))
          .isInstanceOf(UnauthorizedException.class);
      assertThat(server.seen()).hasSize(2);
    }
  }

  @Test
  void aWatchGoesOnWithTheNewToken() throws IOException {
    Path token = write("token", "right");
    try (KubernetesDatastore datastore =
        Opening.open(Opening.kubeconfig(write("config", kubeconfig("tokenFile: token"))))) {
      String revision = datastore.list(ResourceQuery.of(Kind.PROFILE)).revision();
      try (ResourceWatch watch = datastore.watch(ResourceQuery.of(Kind.PROFILE), revision)) {
        server.accept("newer");
        renew(token, "newer");
        server.dropWatches();
        server.createNamespace("shop");

        assertThat(WatchReader.events(watch, 1).getFirst().key().name()).isEqualTo("kns.shop");
      }
    }
  }

  private static void renew(Path file, String text) throws IOException {
    FileTime before = Files.getLastModifiedTime(file);
    Files.writeString(file, text);
    Files.setLastModifiedTime(file, FileTime.fromMillis(before.toMillis() + 1000));
  }

  /** Calico's own programs write in place: a reader may see nothing, or half of it. */
  @Test
  void aKubeconfigThatIsBeingWrittenIsWaitedFor() throws Exception {
    Path file = Files.writeString(directory.resolve("config"), "apiVersion: v1\nconte");
    Thread writer =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    Thread.sleep(150);
                    write("config", kubeconfig("token: right"));
                  } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                });

    assertWorks(Opening.open(Opening.kubeconfig(file)));
    writer.join();
  }

  @Test
  void theEngineOpensWhatIsItsOwn() throws IOException {
    Path file = write("config", kubeconfig("token: right"));
    KubernetesEngine engine = new KubernetesEngine();

    assertThat(engine.open(new DatastoreConfig.Embedded(directory))).isEmpty();
    assertWorks(
        engine
            .open(
                DatastoreConfig.ofEnvironment(
                    Map.of("DATASTORE_TYPE", "kubernetes", "KUBECONFIG", file.toString())))
            .orElseThrow());
  }
}
