package io.ocicat.daemon.call;

import io.ocicat.cni.CniException;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.cni.plugin.AttachmentCall;
import io.ocicat.cni.plugin.DelCall;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A plugin that changes nothing: it records its calls, runs a hook, and fails when told to. */
final class ScriptedPlugin implements Plugin {
  final List<String> calls = new ArrayList<>();
  @Nullable CniException addFailure;
  @Nullable CniException delFailure;
  Runnable duringAdd = () -> {};

  @Override
  public Result add(AddCall call) {
    note("ADD", call);
    duringAdd.run();
    if (addFailure != null) {
      throw addFailure;
    }
    return Result.empty().withIp(IpConfig.of(IpPrefix.parse("192.0.2.7/24")));
  }

  @Override
  public void del(DelCall call) {
    note("DEL", call);
    if (delFailure != null) {
      throw delFailure;
    }
  }

  private void note(String verb, AttachmentCall call) {
    calls.add(verb + " " + call.network() + "/" + call.containerId());
  }
}
