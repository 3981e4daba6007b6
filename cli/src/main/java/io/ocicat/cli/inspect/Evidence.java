package io.ocicat.cli.inspect;

import io.ocicat.cli.Site;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.daemon.info.CallJson;
import io.ocicat.daemon.info.CallSelection;
import io.ocicat.daemon.info.InfoClient;
import io.ocicat.daemon.info.InfoException;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.PodName;
import io.ocicat.daemon.state.RecordFolder;
import io.ocicat.daemon.state.RecordFolder.Kept;
import io.ocicat.daemon.state.State;
import io.ocicat.daemon.trace.FinishedCall;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/**
 * All that files and daemon tell of a container or pod.
 *
 * @param daemonAnswers whether there is one to tell what it remembers
 * @param calls those that ended, the oldest first
 * @param underWay the containers of those that have not
 */
record Evidence(
    State state,
    boolean daemonAnswers,
    List<FinishedCall> calls,
    List<String> underWay,
    List<CallRecord> attachments,
    List<CallRecord> journal,
    List<CallRecord> spool) {

  static Evidence gather(Site site, String about) {
    State state = site.state();
    List<FinishedCall> calls = new ArrayList<>();
    List<String> underWay = new ArrayList<>();
    boolean answers = true;
    try {
      String target = "/calls?about=" + URLEncoder.encode(about, StandardCharsets.UTF_8);
      JsonNode told = new InfoClient(site.folders().infoSocket()).askJson(target);
      told.path("calls").forEach(call -> calls.add(CallJson.read(call)));
      for (JsonNode call : told.path("underWay")) {
        // "bridge ADD 0123abc": the last word is the container.
        String words = call.path("about").asString("");
        underWay.add(words.substring(words.lastIndexOf(' ') + 1));
      }
    } catch (InfoException _) {
      answers = false;
    }
    return new Evidence(
        state,
        answers,
        calls,
        underWay,
        records(state.attachments(), about),
        records(state.journal(), about),
        records(state.spool(), about));
  }

  private static List<CallRecord> records(RecordFolder folder, String about) {
    return folder.list().stream()
        .map(Kept::record)
        .filter(
            record ->
                CallSelection.isAbout(
                    about,
                    record.environment().getOrDefault(CniEnvironment.CONTAINER_ID, ""),
                    PodName.of(record.environment())))
        .toList();
  }

  /** Every interface that any of it is about. */
  Set<AttachmentKey> attachmentKeys() {
    Set<AttachmentKey> keys =
        new TreeSet<>(
            Comparator.comparing(AttachmentKey::containerId).thenComparing(AttachmentKey::ifName));
    for (List<CallRecord> records : List.of(attachments, journal, spool)) {
      records.forEach(record -> record.key().ifPresent(keys::add));
    }
    for (FinishedCall call : calls) {
      if (!call.containerId().isEmpty() && !call.ifName().isEmpty()) {
        keys.add(new AttachmentKey(call.containerId(), call.ifName()));
      }
    }
    return keys;
  }
}
