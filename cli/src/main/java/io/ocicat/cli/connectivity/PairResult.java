package io.ocicat.cli.connectivity;

import io.ocicat.base.json.Json;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Whether one end reaches another.
 *
 * @param from a node, a pod as namespace/name
 * @param to the same, {@code outside}, or a published port as node:port
 * @param ok whether every address of {@code to} answered as it should
 * @param reason what failed and why; empty when nothing did
 * @param cause what kind of state causes it; empty when none was found
 * @param latencyMicros of the slowest address; 0 when none answered
 * @param mtu the largest packet that arrives at every address; 0 when none does
 */
public record PairResult(
    String from,
    String to,
    boolean ok,
    String reason,
    String cause,
    long latencyMicros,
    int mtu,
    List<AddressResult> addresses) {

  /** One address of the other end. */
  public record AddressResult(
      String address, boolean ok, long latencyMicros, int mtu, String tcp) {}

  public PairResult {
    addresses = List.copyOf(addresses);
  }

  static PairResult of(
      String from, String to, List<Probe.Answer> answers, String reason, String cause) {
    List<AddressResult> addresses = new ArrayList<>();
    for (Probe.Answer answer : answers) {
      addresses.add(
          new AddressResult(
              answer.address().toString(),
              answer.ok(),
              answer.latencyMicros(),
              answer.mtu(),
              answer.tcp().label()));
    }
    return new PairResult(
        from,
        to,
        answers.stream().allMatch(Probe.Answer::ok),
        reason,
        cause,
        answers.stream().mapToLong(Probe.Answer::latencyMicros).max().orElse(0),
        answers.stream().mapToInt(Probe.Answer::mtu).min().orElse(0),
        addresses);
  }

  /** The same with what another node knows of it. */
  public PairResult because(String otherReason, String otherCause) {
    return new PairResult(from, to, ok, otherReason, otherCause, latencyMicros, mtu, addresses);
  }

  public ObjectNode toJson() {
    ObjectNode json = Json.object();
    json.put("from", from);
    json.put("to", to);
    json.put("ok", ok);
    json.put("reason", reason);
    json.put("cause", cause);
    json.put("latencyMicros", latencyMicros);
    json.put("mtu", mtu);
    ArrayNode list = json.putArray("addresses");
    for (AddressResult address : addresses) {
      list.addObject()
          .put("address", address.address())
          .put("ok", address.ok())
          .put("latencyMicros", address.latencyMicros())
          .put("mtu", address.mtu())
          .put("tcp", address.tcp());
    }
    return json;
  }

  public static PairResult read(JsonNode json) {
    List<AddressResult> addresses = new ArrayList<>();
    for (JsonNode address : json.path("addresses")) {
      addresses.add(
          new AddressResult(
              address.path("address").asString(),
              address.path("ok").asBoolean(),
              address.path("latencyMicros").asLong(),
              address.path("mtu").asInt(),
              address.path("tcp").asString()));
    }
    return new PairResult(
        json.path("from").asString(),
        json.path("to").asString(),
        json.path("ok").asBoolean(),
        json.path("reason").asString(),
        json.path("cause").asString(),
        json.path("latencyMicros").asLong(),
        json.path("mtu").asInt(),
        addresses);
  }
}
