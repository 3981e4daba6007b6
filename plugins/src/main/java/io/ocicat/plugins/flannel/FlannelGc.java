package io.ocicat.plugins.flannel;

import io.ocicat.base.json.Json;
import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.plugin.GcCall;
import io.ocicat.plugins.support.BestEffort;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Performs one GC: deletes the attachments of this network that have a scratch file and are no
 * longer valid, then calls GC of the delegate.
 */
final class FlannelGc {
  /**
   * The Go plugin does not record the interface name; runtimes call the first one this. If it has
   * another name, the delegate's own GC finds its address.
   */
  private static final String USUAL_INTERFACE = "eth0";

  private final GcCall call;
  private final FlannelConf conf;
  private final ScratchFiles files;
  private final Set<Attachment> valid;

  FlannelGc(GcCall call, FlannelConf conf) {
    this.call = call;
    this.conf = conf;
    this.files = new ScratchFiles(conf.dataDir());
    this.valid = call.validAttachments().orElseThrow();
  }

  void run() {
    Stream<Runnable> deletions = stale().stream().map(name -> () -> delete(name));
    BestEffort.all(
        Stream.concat(deletions, Stream.of(this::callDelegate)).toArray(Runnable[]::new));
  }

  private List<ScratchName> stale() {
    String network = call.network().value();
    List<ScratchName> ours =
        files.names().stream()
            .filter(name -> name.network().equals(network) && !valid.contains(name.attachment()))
            .toList();
    List<ScratchName> theOriginals =
        files.containersOfTheOriginal().stream()
            .filter(id -> valid.stream().noneMatch(used -> used.containerId().equals(id)))
            .map(id -> new ScratchName(new Attachment(id, USUAL_INTERFACE), network))
            .filter(name -> request(name).filter(this::isOfThisNetwork).isPresent())
            .toList();
    return Stream.concat(ours.stream(), theOriginals.stream()).toList();
  }

  private boolean isOfThisNetwork(PluginConfig request) {
    return request.name().equals(call.network().value());
  }

  /** Empty when the file is unreadable, or unfinished: then the delegate was never called. */
  private Optional<PluginConfig> request(ScratchName name) {
    try {
      return files.read(name).map(PluginConfig::parse);
    } catch (CniException e) {
      call.log("scratch file of %s: %s".formatted(name.attachment(), e.getMessage()));
      return Optional.empty();
    }
  }

  private void delete(ScratchName name) {
    request(name).ifPresent(request -> call.delegate(request).del(name.attachment()));
    files.remove(name);
  }

  private void callDelegate() {
    PluginConfig request =
        DelegateRequest.of(call.config(), conf, SubnetEnv.read(conf.subnetFile()));
    call.delegate(request.with(attachments(call.config().json()))).gc();
  }

  /**
   * The valid attachments from the runtime, under whichever name it used; null is Go's empty list.
   */
  private static Map<String, JsonNode> attachments(ObjectNode own) {
    Map<String, JsonNode> attachments = new LinkedHashMap<>();
    own.forEachEntry(
        (name, value) -> {
          if (name.startsWith("cni.dev/")) {
            attachments.put(name, value.isNull() ? Json.array() : value);
          }
        });
    return attachments;
  }
}
