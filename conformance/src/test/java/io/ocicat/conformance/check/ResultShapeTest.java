package io.ocicat.conformance.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniJson;
import io.ocicat.cni.SpecVersion;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.node.ObjectNode;

class ResultShapeTest {

  @ParameterizedTest
  @EnumSource
  void theSpecificationsOwnShapesAreGood(SpecVersion version) {
    String text =
        switch (version.family()) {
          case V0_2 ->
              """
              { "cniVersion": "%s", "ip4": { "ip": "192.0.2.7/24", "gateway": "192.0.2.1",
                "routes": [ { "dst": "0.0.0.0/0", "gw": "192.0.2.1" } ] },
                "ip6": { "ip": "2001:db8::7/64" }, "dns": { "nameservers": ["192.0.2.53"] } }
              """;
          case V0_4 ->
              """
              { "cniVersion": "%s", "interfaces": [ { "name": "eth0", "mac": "02:00:00:00:00:02",
                "sandbox": "/run/netns/blue" } ], "dns": {}, "routes": [ { "dst": "::/0" } ],
                "ips": [ { "version": "4", "interface": 0, "address": "192.0.2.7/24" },
                         { "version": "6", "address": "2001:db8::7/64", "gateway": "fe80::1" } ] }
              """;
          case V1 ->
              """
              { "cniVersion": "%s", "interfaces": [ { "name": "eth0", "mtu": 1450 } ],
                "ips": [ { "interface": 0, "address": "192.0.2.7/24", "gateway": "192.0.2.1" } ],
                "routes": [ { "dst": "198.51.100.0/24", "mtu": 1400, "scope": 0 } ],
                "strange": true }
              """;
        };

    assertThat(problems(text.formatted(version), version)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          V1_0_0 | {}                                                             | cniVersion is missing
          V1_0_0 | {"cniVersion":"1.1.0"}                                         | cniVersion is "1.1.0", not "1.0.0"
          V0_2_0 | {"cniVersion":"0.2.0","ips":[]}                                | ips is there, 0.2.0 has none
          V0_2_0 | {"cniVersion":"0.2.0","ip4":{}}                                | ip4.ip is missing
          V0_2_0 | {"cniVersion":"0.2.0","ip4":{"ip":"10.0.0.1"}}                 | ip4.ip is not an address with a prefix length: 10.0.0.1
          V0_2_0 | {"cniVersion":"0.2.0","ip6":{"ip":"10.0.0.1/8"}}               | ip6.ip is 10.0.0.1/8, of the other family
          V0_2_0 | {"cniVersion":"0.2.0","ip4":[]}                                | ip4 is not an object: []
          V0_2_0 | {"cniVersion":"0.2.0","ip4":{"ip":"10.0.0.1/8","routes":[{}]}} | ip4.routes[0].dst is missing
          V0_4_0 | {"cniVersion":"0.4.0","ip4":{"ip":"10.0.0.1/8"}}               | ip4 is there, 0.4.0 has none
          V0_4_0 | {"cniVersion":"0.4.0","ips":[{"address":"10.0.0.1/8"}]}        | ips[0].version is missing
          V0_4_0 | {"cniVersion":"0.4.0","ips":[{"version":"6","address":"10.0.0.1/8"}]} | ips[0].version is not "4"
          V0_4_0 | {"cniVersion":"0.4.0","ips":[{"version":4,"address":"10.0.0.1/8"}]}   | ips[0].version is not a text: 4
          V1_0_0 | {"cniVersion":"1.0.0","ips":[{"version":"4","address":"10.0.0.1/8"}]} | ips[0].version is there, 1.0.0 removed it
          V1_0_0 | {"cniVersion":"1.0.0","ips":[{"interface":0,"address":"10.0.0.1/8"}]} | ips[0].interface is 0, not the index of one of 0 interfaces
          V1_0_0 | {"cniVersion":"1.0.0","ips":[{"interface":-1,"address":"10.0.0.1/8"}]} | ips[0].interface is -1, not the index of one of 0 interfaces
          V1_0_0 | {"cniVersion":"1.0.0","ips":[null]}                            | ips is not a list of objects
          V1_0_0 | {"cniVersion":"1.0.0","ips":{}}                                | ips is not a list of objects
          V1_0_0 | {"cniVersion":"1.0.0","ips":[{"address":"10.0.0.1/8","gateway":"x"}]} | ips[0].gateway is not an address: x
          V1_0_0 | {"cniVersion":"1.0.0","interfaces":[{}]}                       | interfaces[0].name is missing
          V1_0_0 | {"cniVersion":"1.0.0","interfaces":[{"name":""}]}              | interfaces[0].name is empty
          V1_1_0 | {"cniVersion":"1.1.0","interfaces":[{"name":"a","mtu":"9"}]}   | interfaces[0].mtu is not a number from 0: "9"
          V1_0_0 | {"cniVersion":"1.0.0","routes":[{"dst":"default"}]}            | routes[0].dst is not an address with a prefix length: default
          V1_0_0 | {"cniVersion":"1.0.0","dns":{"search":["a",1]}}                | dns.search is not a list of texts
          V1_0_0 | {"cniVersion":"1.0.0","dns":{"domain":7}}                      | dns.domain is not a text: 7
          """)
  void everythingElseIsNamed(SpecVersion version, String document, String problem) {
    assertThat(problems(document, version)).contains(problem);
  }

  private static List<String> problems(String document, SpecVersion version) {
    return ResultShape.problems((ObjectNode) CniJson.parse(document), version);
  }
}
