package io.ocicat.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.base.json.Json;
import io.ocicat.cni.ConfigList;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;

/**
 * Measures what every call does with JSON: a typical list is parsed and its first plugin's request
 * written, a typical result parsed, converted to 0.4.0 and printed. Prints the time of the first
 * round in this JVM and, with {@code warm}, of later ones.
 */
public final class Documents {
  private static final byte[] LIST =
      """
      {"cniVersion":"1.0.0","cniVersions":["0.4.0","1.0.0","1.1.0"],"name":"edge-net","plugins":[
        {"type":"bridge","bridge":"br7","isGateway":true,"ipMasq":true,"hairpinMode":true,"ipam":{"type":"host-local",
         "ranges":[[{"subnet":"10.77.0.0/16"}],[{"subnet":"fd00:77::/64"}]],"routes":[{"dst":"0.0.0.0/0"},{"dst":"::/0"}]}},
        {"type":"tuning","capabilities":{"mac":true}},
        {"type":"portmap","capabilities":{"portMappings":true}}]}
      """
          .getBytes(UTF_8);
  private static final byte[] RESULT =
      """
      {"cniVersion":"1.1.0","interfaces":[{"name":"br7","mac":"02:00:00:00:00:01"},{"name":"veth9","mac":"02:00:00:00:00:02"},
        {"name":"eth0","mac":"02:00:00:00:00:09","mtu":1450,"sandbox":"/run/netns/blue"}],
       "ips":[{"interface":2,"address":"10.77.0.4/16","gateway":"10.77.0.1"},{"interface":2,"address":"fd00:77::4/64"}],
       "routes":[{"dst":"0.0.0.0/0","gw":"10.77.0.1"},{"dst":"::/0","priority":5}],"dns":{"nameservers":["10.77.0.1"]}}
      """
          .getBytes(UTF_8);
  private static final int ROUNDS = 20_000;

  private Documents() {}

  public static void main(String[] args) {
    long from = System.nanoTime();
    int bytes = round();
    Sample first = new Sample("first round of a fresh JVM");
    first.add(System.nanoTime() - from);
    if (args.length == 0) {
      IO.println(first.line(first));
      return;
    }
    Sample warm = new Sample("warm");
    for (int i = 0; i < ROUNDS; i++) {
      from = System.nanoTime();
      bytes += round();
      if (i >= ROUNDS / 2) {
        warm.add(System.nanoTime() - from);
      }
    }
    IO.println(warm.line(warm));
    if (bytes == 0) {
      throw new IllegalStateException("nothing was written");
    }
  }

  private static int round() {
    ConfigList list = ConfigList.parse(LIST);
    byte[] request =
        list.plugins().getFirst().request(list.name(), list.effectiveVersion()).toConfig().bytes();
    Result result = Result.parse(RESULT, SpecVersion.V1_1_0);
    return request.length + Json.prettyBytes(result.toJson(SpecVersion.V0_4_0)).length;
  }
}
