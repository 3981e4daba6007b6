package io.ocicat.daemon.call;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.PluginConfig;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.CallId;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.datastore.config.DatastoreConfig;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Keeps the records of calls, and decides under which name. The caller holds the attachment's lock.
 *
 * <p>A plugin's record of an attachment to a network has the same name in all three folders. What a
 * runtime does in the name of one network never touches the record of another. When a chain has a
 * plugin of one type twice (two {@code tuning}, say), both are called for the same attachment, and
 * each needs a record of its own. They are told apart by their configuration, without what a
 * runtime adds for a call; the name of the second one ends in a checksum of it. A configuration
 * that changed between ADD and DEL must not keep DEL from finding the record: as long as there is
 * only one, that is the one.
 */
final class CallJournal {
  private static final Set<String> VARIABLES =
      Set.of("PATH", "HOME", "OCICAT_STATE_DIR", CallId.VARIABLE);

  private final DaemonState state;
  private final Clock clock;

  CallJournal(DaemonState state, Clock clock) {
    this.state = state;
    this.clock = clock;
  }

  /** The name for the record of an ADD. */
  String nameForAdd(PluginCall call, AttachmentKey key) {
    String name = firstName(call, key);
    Optional<CallRecord> other = state.attachments().read(name);
    // A record of this configuration is left over from this container's previous start, and is
    // replaced: the next DEL removes what both had. A record of another configuration is still
    // needed to undo it.
    return other.isPresent() && !isOf(other.get(), call) ? ofSecond(name, call) : name;
  }

  /** The name of the record that a DEL refers to. */
  String nameForDel(PluginCall call, AttachmentKey key) {
    String name = firstName(call, key);
    Optional<CallRecord> first = state.attachments().read(name);
    if (first.isPresent() && isOf(first.get(), call)) {
      return name;
    }
    String second = ofSecond(name, call);
    return isNoted(second) ? second : name;
  }

  /** The name, or the old-style name if an earlier version has written a record of this network. */
  private String firstName(PluginCall call, AttachmentKey key) {
    String network = call.network();
    String former = state.oldNameOf(key, call.name());
    boolean isFormer =
        Stream.of(state.attachments(), state.journal(), state.spool())
            .flatMap(folder -> folder.read(former).stream())
            .anyMatch(record -> record.network().equals(network));
    return isFormer ? former : state.nameOf(key, call.name(), network);
  }

  boolean isNoted(String name) {
    return state.attachments().has(name) || state.journal().has(name) || state.spool().has(name);
  }

  /** Whether a record belongs to the plugin that a call is for. */
  private static boolean isOf(CallRecord record, PluginCall call) {
    return element(record.stdin()).equals(element(redacted(call)));
  }

  private static byte[] redacted(PluginCall call) {
    return SecretRedaction.removedFrom(call.stdin().bytes());
  }

  private String ofSecond(String name, PluginCall call) {
    CRC32C sum = new CRC32C();
    sum.update(element(redacted(call)).getBytes(StandardCharsets.UTF_8));
    return state.nameOfSecond(name, sum.getValue());
  }

  /**
   * The part of a configuration that comes from the network's list; empty when it cannot be read.
   */
  private static String element(byte[] stdin) {
    try {
      ObjectNode element = Json.object();
      for (Map.Entry<String, JsonNode> member : PluginConfig.ofRequest(stdin).json().properties()) {
        if (!isOfOneCall(member.getKey())) {
          element.set(member.getKey(), member.getValue());
        }
      }
      return Json.compact(element);
    } catch (CniException _) {
      return "";
    }
  }

  private static boolean isOfOneCall(String member) {
    return switch (member) {
      case "prevResult", "runtimeConfig", "args", "cniVersion" -> true;
      default -> member.startsWith("cni.dev/");
    };
  }

  CallRecord record(PluginCall call) {
    Map<String, String> kept = new LinkedHashMap<>();
    call.environment()
        .forEach(
            (variable, value) -> {
              if (isForPlugins(variable) && !SecretRedaction.isVariable(variable)) {
                kept.put(variable, value);
              }
            });
    return new CallRecord(
        state.boot(),
        clock.millis(),
        System.nanoTime(),
        call.hostNetns(),
        call.netns(),
        call.name(),
        kept,
        redacted(call),
        new byte[0]);
  }

  /**
   * The protocol's own variables, and those that plugins read in addition: where the datastore is,
   * and the id of the call.
   */
  static boolean isForPlugins(String variable) {
    return variable.startsWith("CNI_")
        || VARIABLES.contains(variable)
        || DatastoreConfig.readsVariable(variable);
  }

  /** Whether the path of its namespace still leads to the same namespace. */
  boolean namespaceIsThere(CallRecord record) {
    return record.boot().equals(state.boot()) && record.namespaceIsWhereItWas();
  }

  /** The call is over; an attachment's own record stays. */
  boolean forgetCall(String name) {
    return forget(name, false);
  }

  /** Removes all records of the attachment. */
  boolean forgetAll(String name) {
    return forget(name, true);
  }

  /**
   * Returns whether it could; a record that stays means that DEL is run once more, which does no
   * harm.
   */
  private boolean forget(String name, boolean attachmentToo) {
    try {
      if (attachmentToo) {
        state.attachments().remove(name);
        state.spool().remove(name);
      }
      state.journal().remove(name);
      return true;
    } catch (UncheckedIOException _) {
      return false;
    }
  }
}
