import io.ocicat.base.json.Json;
import io.ocicat.datastore.kubernetes.TestCluster;
import io.ocicat.datastore.model.ApiGroup;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import tools.jackson.databind.node.ObjectNode;

/**
 * What the daemon talks to while its AOT cache is trained: the tests' API server, with TLS, and an
 * etcd where one is installed. Says where they are, then "ready", and ends with its standard input.
 *
 * <p>Usage: {@code TrainingServers <empty folder>}
 */
final class TrainingServers {
  private static final String TOKEN = "training";
  private static final char[] PASSWORD = "training".toCharArray();
  private static final Duration STARTING = Duration.ofSeconds(30);

  private TrainingServers() {}

  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    KeyStore keys = keys(folder.resolve("keys.p12"));
    try (TestCluster cluster = new TestCluster(ApiGroup.V1, tls(keys))) {
      cluster.accept(TOKEN);
      cluster.node("training", Map.of(), List.of("10.64.0.0/24"));
      cluster.node("training-2", Map.of(), List.of("10.64.1.0/24"));
      cluster.namespace("default", Map.of());
      ObjectNode pod = Json.object();
      pod.putObject("metadata").put("name", "rehearsal").put("namespace", "default");
      pod.putObject("spec").put("nodeName", "training");
      cluster.pod(pod);
      Path kubeconfig = folder.resolve("kubeconfig");
      Files.writeString(kubeconfig, kubeconfig(cluster.url(), keys));
      IO.println("kubeconfig " + kubeconfig);
      if (isInstalled("etcd")) {
        startEtcd(folder.resolve("etcd"));
      }
      IO.println("ready");
      System.in.readAllBytes();
    }
    System.exit(0);
  }

  private static KeyStore keys(Path file) throws Exception {
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair", "-alias", "server", "-keyalg", "EC", "-dname", "CN=127.0.0.1",
                "-ext", "san=ip:127.0.0.1", "-ext", "bc=ca:true", "-validity", "7",
                "-storetype", "PKCS12", "-keystore", file.toString(), "-storepass",
                new String(PASSWORD))
            .redirectErrorStream(true)
            .start();
    String said = new String(keytool.getInputStream().readAllBytes());
    if (keytool.waitFor() != 0) {
      throw new IOException("keytool failed: " + said);
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, PASSWORD);
    }
    return keys;
  }

  private static SSLContext tls(KeyStore keys) throws Exception {
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, PASSWORD);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return context;
  }

  private static String kubeconfig(String url, KeyStore keys) throws Exception {
    String certificate =
        "-----BEGIN CERTIFICATE-----\n"
            + Base64.getMimeEncoder().encodeToString(keys.getCertificate("server").getEncoded())
            + "\n-----END CERTIFICATE-----\n";
    return """
    apiVersion: v1
    kind: Config
    clusters: [{name: local, cluster: {server: "%s", certificate-authority-data: "%s"}}]
    users: [{name: calico, user: {token: "%s"}}]
    contexts: [{name: calico-context, context: {cluster: local, user: calico}}]
    current-context: calico-context
    """
        .formatted(url, Base64.getEncoder().encodeToString(certificate.getBytes()), TOKEN);
  }

  private static boolean isInstalled(String program) {
    for (String directory : System.getenv("PATH").split(":")) {
      if (Files.isExecutable(Path.of(directory, program))) {
        return true;
      }
    }
    return false;
  }

  private static void startEtcd(Path data) throws IOException, InterruptedException {
    List<Integer> ports = freePorts();
    String url = "http://127.0.0.1:" + ports.get(0);
    String peers = "http://127.0.0.1:" + ports.get(1);
    Process etcd =
        new ProcessBuilder(
                "etcd", "--data-dir", data.toString(), "--listen-client-urls", url,
                "--advertise-client-urls", url, "--listen-peer-urls", peers,
                "--initial-advertise-peer-urls", peers, "--initial-cluster", "default=" + peers,
                "--log-level", "error")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    Runtime.getRuntime().addShutdownHook(new Thread(etcd::destroyForcibly));
    long deadline = System.nanoTime() + STARTING.toNanos();
    while (!listens(ports.get(0))) {
      if (System.nanoTime() > deadline || !etcd.isAlive()) {
        throw new IOException("etcd did not start");
      }
      Thread.sleep(50);
    }
    IO.println("etcd " + url);
  }

  private static List<Integer> freePorts() throws IOException {
    try (ServerSocket a = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ServerSocket b = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return new ArrayList<>(List.of(a.getLocalPort(), b.getLocalPort()));
    }
  }

  private static boolean listens(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException _) {
      return false;
    }
  }
}
