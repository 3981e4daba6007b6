package io.ocicat.cli.pod;

import io.ocicat.cni.PortMapping.Protocol;
import io.ocicat.sandbox.PodPort;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses {@code [ADDRESS:]HOST:CONTAINER[/PROTOCOL]}, or the container's port alone. */
final class PortOption implements ITypeConverter<PodPort> {
  private static final Pattern FORM =
      Pattern.compile(
          "(?:(?:(\\[[0-9a-fA-F:.]+]|[0-9.]+):)?(\\d{1,5}):)?(\\d{1,5})(?:/(tcp|udp|sctp))?");

  @Override
  public PodPort convert(String text) {
    Matcher matcher = FORM.matcher(text.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new TypeConversionException(
          "\"%s\" is not a port mapping: expected [ADDRESS:]HOST:CONTAINER[/tcp|udp|sctp], as in 8080:80"
              .formatted(text));
    }
    String address = matcher.group(1) == null ? "" : matcher.group(1);
    return new PodPort(
        matcher.group(4) == null
            ? Protocol.TCP
            : Protocol.valueOf(matcher.group(4).toUpperCase(Locale.ROOT)),
        Integer.parseInt(matcher.group(3)),
        matcher.group(2) == null ? 0 : Integer.parseInt(matcher.group(2)),
        address.startsWith("[") ? address.substring(1, address.length() - 1) : address);
  }
}
