package io.ocicat.cni;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonValue;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads a result of any version and reports everything that is wrong, with its path, at once. */
final class ResultReader {
  private ResultReader() {}

  static Result read(JsonNode document, SpecVersion requested) {
    JsonFields in = fields(document);
    String text = versionText(in).orElse(requested.text());
    SpecVersion version =
        SpecVersion.find(text)
            .orElseThrow(
                () ->
                    new CniException(
                        ErrorCode.INCOMPATIBLE_VERSION,
                        "unsupported CNI result version " + Quoted.brief(text)));
    return read(in, version, "invalid result: ");
  }

  static Result readPrevious(JsonNode document, SpecVersion config) {
    JsonFields in = fields(document);
    String text = versionText(in).orElse(config.text());
    SpecVersion version =
        SpecVersion.find(text)
            .filter(found -> found.family() == config.family())
            .orElseThrow(
                () ->
                    new CniException(
                        ErrorCode.DECODING_FAILURE,
                        "could not parse prevResult: result type supports "
                            + config.family().describe()
                            + " but unmarshalled CNIVersion is "
                            + Quoted.brief(text)));
    return read(in, version, "could not parse prevResult: ");
  }

  private static JsonFields fields(JsonNode document) {
    JsonFields in = JsonValue.of(document).object();
    refuseIfAny(in, "failed to unmarshal raw result: ");
    return in;
  }

  /** A version that is not a string counts as absent, as in Go. */
  private static Optional<String> versionText(JsonFields in) {
    return in.value("cniVersion")
        .raw()
        .filter(JsonNode::isString)
        .map(JsonNode::stringValue)
        .filter(Predicate.not(String::isEmpty));
  }

  private static void refuseIfAny(JsonFields in, String prefix) {
    if (!in.problems().isEmpty()) {
      throw new CniException(ErrorCode.DECODING_FAILURE, prefix + in.problems().describe());
    }
  }

  private static Result read(JsonFields in, SpecVersion version, String prefix) {
    Result result =
        version.family() == SpecVersion.Family.V0_2
            ? twoAddresses(in, version)
            : lists(in, version);
    refuseIfAny(in, prefix);
    return result;
  }

  private static Result lists(JsonFields in, SpecVersion version) {
    List<@Nullable Interface> interfaces = slots(in.value("interfaces"), ResultReader::interfaceOf);
    List<@Nullable IpConfig> ips = slots(ips(in, version), ResultReader::ip);
    List<Route> routes = in.objects("routes").stream().map(Route::read).toList();
    Dns dns = Dns.read(in.object("dns"));
    return new Result(version, interfaces, ips, routes, dns, in.rest());
  }

  /** The text of 0.3.0 called the list "ip", though no library ever wrote it. */
  private static JsonValue ips(JsonFields in, SpecVersion version) {
    return version == SpecVersion.V0_3_0 && !in.has("ips") ? in.value("ip") : in.value("ips");
  }

  private static <T> List<@Nullable T> slots(JsonValue list, Function<JsonFields, T> read) {
    List<@Nullable T> slots = new ArrayList<>();
    for (JsonValue item : list.items()) {
      slots.add(item.isPresent() ? read.apply(item.object()) : null);
    }
    return slots;
  }

  private static Interface interfaceOf(JsonFields in) {
    return new Interface(
        in.text("name").or(""),
        in.text("mac").or(""),
        in.integer("mtu", 0, Integer.MAX_VALUE).or(0),
        in.text("sandbox").or(""),
        in.text("socketPath").or(""),
        in.text("pciID").or(""),
        in.rest());
  }

  private static IpConfig ip(JsonFields in) {
    // The address determines its family: some plugins write an empty version.
    in.value("version");
    return new IpConfig(
        in.integer("interface", Integer.MIN_VALUE, Integer.MAX_VALUE).orNull(),
        in.prefix("address").required(),
        in.ip("gateway").orNull(),
        in.rest());
  }

  private static Result twoAddresses(JsonFields in, SpecVersion version) {
    List<@Nullable IpConfig> ips = new ArrayList<>();
    List<Route> routes = new ArrayList<>();
    if (in.has("ip4")) {
      ips.add(oldIp(in.object("ip4"), IpPrefix::isV4, "must be an IPv4 address", routes));
    }
    if (in.has("ip6")) {
      ips.add(oldIp(in.object("ip6"), IpPrefix::isV6, "must be an IPv6 address", routes));
    }
    Dns dns = Dns.read(in.object("dns"));
    return new Result(version, List.of(), ips, routes, dns, in.rest());
  }

  private static IpConfig oldIp(
      JsonFields in, Predicate<IpPrefix> family, String must, List<Route> routes) {
    in.objects("routes").stream().map(Route::read).forEach(routes::add);
    return new IpConfig(
        null, in.prefix("ip").check(family, must).required(), in.ip("gateway").orNull(), in.rest());
  }
}
