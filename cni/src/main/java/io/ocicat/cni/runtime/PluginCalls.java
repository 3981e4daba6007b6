package io.ocicat.cni.runtime;

import io.ocicat.base.Deadline;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.PluginRequest;
import io.ocicat.cni.PluginType;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.VersionReply;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.exec.Invocation;
import io.ocicat.cni.exec.PluginInvoker;
import io.ocicat.cni.exec.PluginStdin;
import io.ocicat.cni.exec.Verb;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs single plugins for the verbs: finds them, supplies environment and time limit, and reports
 * their runs.
 */
final class PluginCalls {
  private final RuntimeSettings settings;
  private final PluginInvoker invoker;

  PluginCalls(RuntimeSettings settings) {
    this.settings = settings;
    this.invoker = new PluginInvoker(settings.exec(), settings.pluginLog());
  }

  /** A plugin of a network and its executable. */
  record Target(PluginChain chain, PluginConfig plugin, Path executable) {
    Target in(PluginChain other) {
      return new Target(other, plugin, executable);
    }
  }

  /** The part of a request that every verb has. */
  PluginRequest request(Target target) {
    PluginChain chain = target.chain();
    PluginRequest request = target.plugin().request(chain.network().value(), chain.version());
    return settings.requestsKeepCapabilities() ? request.keepCapabilities() : request;
  }

  /**
   * Finds the executable.
   *
   * @throws CniException when there is none
   */
  Target find(PluginChain chain, PluginConfig plugin) {
    return new Target(chain, plugin, find(plugin.type()));
  }

  Path find(String type) {
    return settings.pluginPath().find(new PluginType(type));
  }

  Result add(Target target, Container container, @Nullable Result previous, Deadline deadline) {
    PluginRequest request =
        request(target).previousResult(previous).capabilityArgs(container.capabilityArgs());
    request.warnings().forEach(settings.warnings());
    SpecVersion version = target.chain().specVersion();
    Invocation invocation = invocation(target, Verb.ADD, container, request, deadline);
    return watch(Verb.ADD, target, container, () -> invoker.add(invocation, version));
  }

  /** CHECK or DEL. */
  void run(
      Verb verb, Target target, Container container, @Nullable Result previous, Deadline deadline) {
    PluginRequest request =
        request(target).previousResult(previous).capabilityArgs(container.capabilityArgs());
    Invocation invocation = invocation(target, verb, container, request, deadline);
    run(verb, target, container, invocation);
  }

  /** GC or STATUS. */
  void run(Verb verb, Target target, PluginRequest request, Deadline deadline) {
    run(verb, target, null, invocation(target, verb, null, request, deadline));
  }

  private void run(Verb verb, Target target, @Nullable Container container, Invocation invocation) {
    watch(
        verb,
        target,
        container,
        () -> {
          invoker.run(invocation);
          return verb;
        });
  }

  VersionReply version(Path executable, Deadline deadline) {
    return invoker.version(executable, inherited(), deadline.remaining());
  }

  private Invocation invocation(
      Target target,
      Verb verb,
      @Nullable Container container,
      PluginRequest request,
      Deadline deadline) {
    String path = settings.pluginPath().toString();
    CniEnvironment variables =
        container == null
            ? CniEnvironment.of(verb, path)
            : new CniEnvironment(
                verb,
                container.id().value(),
                container.netns(),
                container.ifName().value(),
                container.args().toString(),
                path);
    return new Invocation(
        target.executable(),
        variables.over(inherited()),
        PluginStdin.of(request.toConfig()),
        deadline.remaining());
  }

  private Map<String, String> inherited() {
    Map<String, String> environment = settings.environment();
    return settings.trace().get().map(trace -> trace.over(environment)).orElse(environment);
  }

  private <T> T watch(
      Verb verb, Target target, @Nullable Container container, Supplier<T> execution) {
    long start = System.nanoTime();
    try {
      T result = execution.get();
      report(verb, target, container, start, null);
      return result;
    } catch (CniException e) {
      report(verb, target, container, start, e);
      throw e;
    } catch (RuntimeException e) {
      CniException failure = new CniException(ErrorCode.INTERNAL, e.toString(), e);
      report(verb, target, container, start, failure);
      throw failure;
    }
  }

  /** Whatever happens in the listener, the plugin has done its work. */
  private void report(
      Verb verb,
      Target target,
      @Nullable Container container,
      long start,
      @Nullable CniException failure) {
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    String network = target.chain().network().value();
    try {
      settings
          .observer()
          .accept(new PluginRun(verb, network, target.plugin().type(), container, took, failure));
    } catch (RuntimeException e) {
      settings.warnings().accept("the observer of plugins failed: " + e);
    }
  }
}
