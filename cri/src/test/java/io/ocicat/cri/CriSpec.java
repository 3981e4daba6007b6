package io.ocicat.cri;

import io.ocicat.cri.message.SandboxMessages.ListPodSandboxRequest;
import io.ocicat.cri.message.SandboxMessages.ListPodSandboxResponse;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A server for all specs of a class; pods are removed after each. */
@Hosts
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class CriSpec {
  CriNode node;
  CriClient client;
  CriCalls calls;

  @BeforeAll
  void startServer(@TempDir Path folder, Host host) {
    node = new CriNode(folder, host);
    client = new CriClient(node.socket());
    calls = new CriCalls(client, folder.resolve("logs"));
  }

  @AfterEach
  void removePods() {
    client
        .call("ListPodSandbox", new ListPodSandboxRequest(null), ListPodSandboxResponse::read)
        .items()
        .forEach(pod -> calls.removePod(pod.id()));
  }

  @AfterAll
  void stopServer() {
    client.close();
    node.close();
  }
}
