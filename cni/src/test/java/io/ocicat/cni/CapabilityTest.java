package io.ocicat.cni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.json.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.node.ObjectNode;

class CapabilityTest {
  private static PortMapping portMapping(String text) {
    return CniJson.read((ObjectNode) CniJson.parse(text), PortMapping::read);
  }

  @Test
  void readsAndWritesPortMappings() {
    String text =
        "{\"hostPort\":8080,\"containerPort\":80,\"protocol\":\"udp\",\"hostIP\":\"10.0.0.1\"}";
    assertThat(Json.compact(portMapping(text).toJson())).isEqualTo(text);
    assertThat(
            Json.compact(
                portMapping("{\"hostPort\":1,\"containerPort\":2,\"protocol\":\"TCP\"}").toJson()))
        .isEqualTo("{\"hostPort\":1,\"containerPort\":2,\"protocol\":\"tcp\"}");
    assertThat(portMapping("{\"hostPort\":1,\"containerPort\":2,\"hostIP\":\"\"}"))
        .isEqualTo(new PortMapping(1, 2, PortMapping.Protocol.TCP, null));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"hostPort\":0,\"containerPort\":2}|hostPort must be 1–65535: Invalid host port number:"
            + " 0",
        "{\"hostPort\":1,\"containerPort\":65536}|containerPort must be 1–65535: Invalid container"
            + " port number: 65536",
        "{\"hostPort\":1}|containerPort is missing",
        "{\"hostPort\":1,\"containerPort\":2,\"protocol\":\"icmp\"}|protocol must be tcp, udp or"
            + " sctp, not \"icmp\"",
        "{\"hostPort\":1,\"containerPort\":2,\"hostIP\":\"host\"}|hostIP \"host\" is not an IP"
            + " address: expected four numbers, as in 10.0.0.1",
      })
  void refusesWrongPortMappings(String text, String message) {
    assertThatThrownBy(() -> portMapping(text)).hasMessage(message);
  }

  @Test
  void readsAndWritesBandwidth() {
    String text =
        "{\"ingressRate\":2048,\"ingressBurst\":1600,\"egressRate\":9007199254740993,\"egressBurst\":0}";
    Bandwidth bandwidth = CniJson.read((ObjectNode) CniJson.parse(text), Bandwidth::read);
    assertThat(bandwidth).isEqualTo(new Bandwidth(2048, 1600, 9007199254740993L, 0));
    assertThat(Json.compact(bandwidth.toJson())).isEqualTo(text);
    assertThatThrownBy(
            () -> CniJson.read((ObjectNode) CniJson.parse("{\"ingressRate\":-1}"), Bandwidth::read))
        .hasMessage("ingressRate must be a whole number 0–9223372036854775807, not -1");
  }
}
