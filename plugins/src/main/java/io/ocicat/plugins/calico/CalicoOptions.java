package io.ocicat.plugins.calico;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.datastore.Datastores;
import io.ocicat.plugins.calicocluster.CalicoBackend;
import io.ocicat.plugins.support.PluginOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The command-line options of the executable: {@code calico -v} and {@code calico -t}. */
public final class CalicoOptions implements PluginOptions {
  private static final Duration LIMIT = Duration.ofSeconds(2);
  private static final ErrorCode NO_CONNECTION = new ErrorCode(100);
  private static final int USAGE = 2;

  private final Datastores datastores;
  private final Map<String, String> environment;

  public CalicoOptions(Datastores datastores, Map<String, String> environment) {
    this.datastores = datastores;
    this.environment = Map.copyOf(environment);
  }

  /** With {@code -t}, stdin has the configuration to test. */
  @Override
  public PluginReply run(List<String> flags, String version, InputStream stdin) {
    if (flags.equals(List.of("-v"))) {
      return answer(0, version + "\n", "");
    }
    if (flags.equals(List.of("-t"))) {
      return tried(stdin);
    }
    return answer(
        USAGE,
        "",
        """
        usage: calico -v   print the version
               calico -t   try the datastore of the configuration on standard input
        """);
  }

  private PluginReply tried(InputStream stdin) {
    try {
      PluginConfig config = PluginConfig.ofRequest(stdin.readNBytes(CniJson.MAX_BYTES + 1));
      CalicoConf.read(config);
      // The limit applies to the server: the time this process needs to load classes does not
      // count.
      CalicoBackend backend = CalicoBackend.of(config.json(), environment, datastores::of);
      within(() -> tryOut(backend));
      return answer(0, "", "");
    } catch (CniException e) {
      CniException failure =
          new CniException(
              NO_CONNECTION, "data store connection failed", String.valueOf(e.getMessage()));
      return answer(1, Json.compact(failure.toJson()) + "\n", "");
    } catch (IOException e) {
      return answer(1, "", "cannot read standard input: %s\n".formatted(e.getMessage()));
    }
  }

  private static void tryOut(CalicoBackend backend) {
    CalicoReadiness.require(backend);
    if (backend.knowsAllPods()) {
      CalicoBackend.attempt(
          "error asking Kubernetes", () -> backend.cluster().namespace("default"));
    }
  }

  private static void within(Runnable work) {
    FutureTask<Boolean> task = new FutureTask<>(work, true);
    Thread.ofPlatform().daemon().name("calico -t").start(task);
    try {
      task.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new CniException(
          ErrorCode.TRY_AGAIN_LATER, "no answer within %d s".formatted(LIMIT.toSeconds()), e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof CniException known
          ? known
          : new CniException(ErrorCode.INTERNAL, String.valueOf(e.getCause()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CniException(ErrorCode.TRY_AGAIN_LATER, "interrupted", e);
    }
  }

  private static PluginReply answer(int exitCode, String stdout, String stderr) {
    return new PluginReply(exitCode, stdout.getBytes(StandardCharsets.UTF_8), stderr);
  }
}
