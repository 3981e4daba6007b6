package io.ocicat.cli.inspect;

import io.ocicat.daemon.info.CallJson;
import io.ocicat.daemon.info.InfoClient;
import io.ocicat.daemon.info.InfoException;
import io.ocicat.daemon.trace.FinishedCall;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * The calls for some containers, from ocicatd's history.
 *
 * @param silence why it did not reply; empty when it did
 * @param calls those that ended, the oldest first
 * @param underWay the containers of those that have not
 */
record DaemonHistory(String silence, List<FinishedCall> calls, List<String> underWay) {
  DaemonHistory {
    calls = List.copyOf(calls);
    underWay = List.copyOf(underWay);
  }

  static DaemonHistory ask(Path socket, ContainerSelector subject) {
    List<FinishedCall> calls = new ArrayList<>();
    List<String> underWay = new ArrayList<>();
    try {
      InfoClient daemon = new InfoClient(socket);
      daemon.ask("/status");
      for (String about : subject.questions()) {
        String target = "/calls?about=" + URLEncoder.encode(about, StandardCharsets.UTF_8);
        JsonNode told = daemon.askJson(target);
        told.path("calls").forEach(call -> calls.add(CallJson.read(call)));
        told.path("underWay").forEach(call -> underWay.add(call.path("container").asString("")));
      }
      return new DaemonHistory("", calls, underWay);
    } catch (InfoException e) {
      String advice = e.isDown() ? "; start it (`systemctl start ocicat`, or `ocicat daemon`)" : "";
      return new DaemonHistory(e.getMessage() + advice, List.of(), List.of());
    }
  }

  boolean answers() {
    return silence.isEmpty();
  }
}
