package io.ocicat.cni.plugin;

import io.ocicat.base.json.JsonFields;
import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniArgs;
import io.ocicat.cni.ContainerId;
import io.ocicat.cni.InterfaceName;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.exec.CniEnvironment;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** A call about one interface of one container. */
public abstract sealed class AttachmentCall extends Call permits AddCall, CheckCall, DelCall {
  private final ContainerId containerId;
  private final InterfaceName ifName;

  AttachmentCall(
      PluginConfig config, Map<String, String> environment, PluginHost host, PluginLog log) {
    super(config, environment, host, log);
    this.containerId = new ContainerId(variable(CniEnvironment.CONTAINER_ID));
    this.ifName = new InterfaceName(variable(CniEnvironment.IFNAME));
  }

  public final ContainerId containerId() {
    return containerId;
  }

  /** The name of the interface inside the container. */
  public final InterfaceName ifName() {
    return ifName;
  }

  /** The attachment, in the form in which GC lists it. */
  public final Attachment attachment() {
    return new Attachment(containerId.value(), ifName.value());
  }

  /**
   * CNI_ARGS.
   *
   * @throws io.ocicat.cni.CniException with code 4 when it is malformed
   */
  public final CniArgs args() {
    return CniArgs.parse(variable(CniEnvironment.ARGS));
  }

  /**
   * The result of the previous plugins, if there is one.
   *
   * @throws io.ocicat.cni.CniException with code 6 when it is unreadable
   */
  public Optional<Result> previousResult() {
    return config().previousResult();
  }

  /**
   * Reads the runtime's values for the capabilities that the plugin declares: {@code
   * call.runtimeConfig(in -> in.mac("mac").optional())}.
   *
   * @throws io.ocicat.cni.CniException with code 7, naming every bad field
   */
  public final <T> T runtimeConfig(Function<JsonFields, T> reader) {
    return config().read(in -> reader.apply(in.object("runtimeConfig")));
  }
}
