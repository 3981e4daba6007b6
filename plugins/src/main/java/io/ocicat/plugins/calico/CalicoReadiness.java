package io.ocicat.plugins.calico;

import io.ocicat.base.Deadline;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.plugins.calicocluster.CalicoBackend;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * Decides whether calls may be served now, by the cluster's state and the operator's readiness
 * gates.
 */
final class CalicoReadiness {
  private static final ResourceKey.Named INFORMATION =
      new ResourceKey.Named(Kind.CLUSTER_INFORMATION, "", "default");
  private static final Duration GATE_LIMIT = Duration.ofSeconds(30);
  private static final Duration PROBE_LIMIT = Duration.ofSeconds(5);
  private static final Duration PAUSE = Duration.ofMillis(500);

  private CalicoReadiness() {}

  /**
   * Asks the datastore.
   *
   * @return true
   * @throws CniException when it cannot be asked, or the cluster is not ready
   */
  static boolean require(CalicoBackend backend) {
    Resource information =
        CalicoBackend.attempt("error getting ClusterInformation", () -> information(backend));
    boolean ready =
        information.read(document -> document.at("/spec/datastoreReady").asBoolean(false));
    if (!ready) {
      throw new CniException(
          ErrorCode.TRY_AGAIN_LATER,
          "Calico is currently not ready to process requests",
          "ClusterInformation \"default\" has no spec.datastoreReady: true; the datastore is"
              + " being migrated, or calico/node has not started");
    }
    return true;
  }

  /**
   * Asks the datastore whether it can be written. Only STATUS does so: other verbs find out when
   * they write.
   *
   * @throws CniException when it cannot
   */
  static void requireWritable(CalicoBackend backend) {
    backend
        .datastore()
        .writeProblem()
        .ifPresent(
            why -> {
              throw new CniException(ErrorCode.TRY_AGAIN_LATER, why);
            });
  }

  /** In a datastore of this machine alone, nobody else would declare it ready. */
  private static Resource information(CalicoBackend backend) {
    Datastore datastore = backend.datastore();
    try {
      return datastore.get(INFORMATION);
    } catch (NotFoundException e) {
      if (!backend.isEmbedded()) {
        throw new CniException(
            ErrorCode.TRY_AGAIN_LATER,
            "error getting ClusterInformation: " + e.getMessage(),
            "the datastore is not initialised: start calico/node, or run \"ocicat install"
                + " --calico\" or \"ocicat datastore unlock\" with rights to create it");
      }
      try {
        return datastore.create(
            Resource.of(
                INFORMATION,
                spec ->
                    spec.put("clusterGUID", UUID.randomUUID().toString().replace("-", ""))
                        .put("clusterType", "ocicat")
                        .put("datastoreReady", true)));
      } catch (ExistsException _) {
        return datastore.get(INFORMATION);
      }
    }
  }

  /**
   * Waits until each of the gates answers with success.
   *
   * @throws CniException naming one that does not answer in time
   */
  static void await(List<URI> gates, Deadline deadline) {
    Deadline limit = deadline.atMost(GATE_LIMIT);
    for (URI gate : gates) {
      while (!isOpen(gate)) {
        if (limit.remaining().compareTo(PAUSE) <= 0) {
          throw new CniException(
              ErrorCode.TRY_AGAIN_LATER,
              "readiness gate %s does not answer with 200–399".formatted(gate),
              "see whether it runs, or take it out of readiness_gates");
        }
        PollInterval.of(PAUSE);
      }
    }
  }

  private static boolean isOpen(URI gate) {
    try {
      HttpURLConnection connection = (HttpURLConnection) gate.toURL().openConnection();
      connection.setConnectTimeout((int) PROBE_LIMIT.toMillis());
      connection.setReadTimeout((int) PROBE_LIMIT.toMillis());
      connection.setInstanceFollowRedirects(false);
      try {
        int status = connection.getResponseCode();
        return status >= 200 && status < 400;
      } finally {
        connection.disconnect();
      }
    } catch (IOException _) {
      return false;
    }
  }
}
