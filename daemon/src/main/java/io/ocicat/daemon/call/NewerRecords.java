package io.ocicat.daemon.call;

import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.RecordFolder;
import io.ocicat.daemon.state.State;
import io.ocicat.plugins.Plugins;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Whether an attachment was made anew after a record of it. Plugins find what they made by the
 * names of network, container and interface, and another plugin's addresses by the same names: so
 * the DEL of what was there before would take away what is in use.
 */
record NewerRecords(State state, Notes notes) {

  /**
   * Whoever asks holds the attachment's lock, so that the answer stays true.
   *
   * @param old of an earlier start of the machine, or of a namespace that is gone
   */
  boolean existBeside(CallRecord old) {
    Optional<AttachmentKey> key = old.key();
    if (key.isEmpty()) {
      return false;
    }
    Set<String> firsts =
        Plugins.names().stream()
            .map(plugin -> state.nameOf(key.get(), plugin))
            .collect(Collectors.toSet());
    return state.attachments().names().stream()
        .filter(name -> firsts.contains(State.firstName(name)))
        .anyMatch(name -> isNewer(name, old));
  }

  /** One that cannot be read just now may be one. */
  private boolean isNewer(String name, CallRecord old) {
    RecordFolder folder = state.attachments();
    return folder
        .read(name)
        .map(other -> isNewer(other, old))
        .orElseGet(() -> folder.has(name) && !folder.isBroken(name));
  }

  private boolean isNewer(CallRecord other, CallRecord old) {
    return isOfThisStart(other) && (!isOfThisStart(old) || notes.namespaceIsThere(other));
  }

  private boolean isOfThisStart(CallRecord record) {
    return record.boot().equals(state.boot());
  }
}
