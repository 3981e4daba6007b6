package io.ocicat.plugins.flannel;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.cni.plugin.CheckCall;
import io.ocicat.cni.plugin.DelCall;
import io.ocicat.cni.plugin.Delegation;
import io.ocicat.cni.plugin.GcCall;
import io.ocicat.cni.plugin.NotUndoneException;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.plugin.StatusCall;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.plugins.net.VethPair;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Attaches a container to flannel's network by calling another plugin, bridge by default, with the
 * subnet that flanneld has leased for this node.
 */
public final class FlannelPlugin implements Plugin {
  @Override
  public Result add(AddCall call) {
    FlannelConf conf = FlannelConf.read(call.config());
    PluginConfig request =
        DelegateRequest.of(call.config(), conf, SubnetEnv.read(conf.subnetFile()));
    requireFreeName(call);
    ScratchFiles files = new ScratchFiles(conf.dataDir());
    ScratchName name = ScratchName.of(call);
    // Before the delegate does anything: if we are killed meanwhile, DEL knows which plugin to
    // call.
    files.write(name, request.bytes());
    try {
      return call.delegate(request).add();
    } catch (NotUndoneException e) {
      // DEL must be able to call the delegate again.
      throw failed("add", e);
    } catch (CniException e) {
      files.remove(name);
      throw failed("add", e);
    }
  }

  /**
   * A failed ADD is undone by the delegate's DEL, which cannot recognise an interface that an
   * earlier ADD or somebody else created: so none may exist.
   */
  private static void requireFreeName(AddCall call) {
    Optional<NetnsSockets> container = NetnsSockets.ofRemaining(Optional.of(call.netns()));
    if (container.isPresent()) {
      try (NetnsSockets net = container.get()) {
        VethPair.requireFreeName(net, call.ifName().value());
      }
    }
  }

  /** With a placeholder subnet: the node's own comes from flanneld. */
  @Override
  public List<Delegation> review(PluginConfig config) {
    PluginConfig request = DelegateRequest.of(config, FlannelConf.read(config), SubnetEnv.ANY);
    return List.of(new Delegation(request.type(), request, "delegate"));
  }

  @Override
  public void del(DelCall call) {
    ScratchFiles files = new ScratchFiles(FlannelConf.dataDir(call.config()));
    ScratchName name = ScratchName.of(call);
    Optional<byte[]> scratch = files.read(name);
    if (scratch.isEmpty()) {
      return;
    }
    Optional<PluginConfig> request = storedRequest(call, scratch.get());
    if (request.isEmpty()) {
      return;
    }
    try {
      call.delegate(request.get()).del();
    } catch (CniException e) {
      throw failed("del", e);
    }
    // Only now: while the delegate fails, the next DEL must be able to call it again.
    files.remove(name);
  }

  /**
   * The request that ADD made. A file emptied by a power failure contains none: then it is rebuilt
   * as ADD would build it now. If that is not possible either, the runtime must not be kept from
   * deleting the container for ever; GC releases any remaining addresses.
   */
  private static Optional<PluginConfig> storedRequest(DelCall call, byte[] scratch) {
    try {
      return Optional.of(PluginConfig.parse(scratch));
    } catch (CniException unreadable) {
      try {
        FlannelConf conf = FlannelConf.read(call.config());
        PluginConfig again =
            DelegateRequest.of(call.config(), conf, SubnetEnv.read(conf.subnetFile()));
        call.log(
            "the scratch file of container %s is unreadable, its request is made again: %s"
                .formatted(call.containerId(), unreadable.getMessage()));
        return Optional.of(again);
      } catch (CniException e) {
        call.log(
            "the scratch file of container %s is unreadable (%s) and its request cannot be made"
                    .formatted(call.containerId(), unreadable.getMessage())
                + " again (%s): its address may stay reserved until GC".formatted(e.getMessage()));
        return Optional.empty();
      }
    }
  }

  @Override
  public void check(CheckCall call) {
    Result previous = call.requirePreviousResult();
    FlannelConf conf = FlannelConf.read(call.config());
    byte[] scratch =
        new ScratchFiles(conf.dataDir())
            .read(ScratchName.of(call))
            .orElseThrow(
                () ->
                    new CniException(
                        ErrorCode.INTERNAL,
                        "container %s has no scratch file in %s"
                            .formatted(call.containerId(), conf.dataDir()),
                        "it was never attached or is deleted already"));
    PluginConfig request = PluginConfig.parse(scratch);
    call.delegate(request.with(Map.of("prevResult", previous.toJson()))).check();
  }

  @Override
  public void status(StatusCall call) {
    FlannelConf conf = FlannelConf.read(call.config());
    call.delegate(DelegateRequest.of(call.config(), conf, available(conf))).status();
  }

  private static SubnetEnv available(FlannelConf conf) {
    try {
      return SubnetEnv.read(conf.subnetFile());
    } catch (CniException e) {
      throw new CniException(ErrorCode.PLUGIN_NOT_AVAILABLE, e.msg(), e.details());
    }
  }

  @Override
  public void gc(GcCall call) {
    if (call.validAttachments().isPresent()) {
      new FlannelGc(call, FlannelConf.read(call.config())).run();
    }
  }

  /** The delegate's own error, with the name of its caller. */
  private static CniException failed(String verb, CniException e) {
    CniException failure = e.prefixed("failed to delegate %s: ".formatted(verb));
    for (Throwable suppressed : e.getSuppressed()) {
      failure.addSuppressed(suppressed);
    }
    return failure;
  }

  @Override
  public String about() {
    return "CNI flannel plugin (ocicat)";
  }
}
