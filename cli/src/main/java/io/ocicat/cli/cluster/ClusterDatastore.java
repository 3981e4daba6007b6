package io.ocicat.cli.cluster;

import io.ocicat.cli.machine.InstalledPrograms;
import io.ocicat.cli.machine.MachineException;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Where a cluster's resources are kept. */
public enum ClusterDatastore {
  /** One SQLite file, in a folder that all nodes have. */
  EMBEDDED,
  /** Debian's etcd, on the router of the underlay. */
  ETCD;

  private static final String ENDPOINT = "http://%s:2379".formatted(Underlay.ROUTER);

  /** As users write it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  Map<String, String> environment() {
    return switch (this) {
      case EMBEDDED -> Map.of("DATASTORE_TYPE", "embedded");
      case ETCD -> Map.of("DATASTORE_TYPE", "etcdv3", "ETCD_ENDPOINTS", ENDPOINT);
    };
  }

  /** What calico's configuration says of it. */
  String cniMembers() {
    return switch (this) {
      case EMBEDDED -> "\"datastore_type\": \"embedded\"";
      case ETCD -> "\"datastore_type\": \"etcdv3\", \"etcd_endpoints\": \"%s\"".formatted(ENDPOINT);
    };
  }

  void requirePrograms() {
    if (this == ETCD && InstalledPrograms.find("etcd").isEmpty()) {
      throw new MachineException(
          "--datastore etcd needs etcd: apt-get install etcd-server (as root), or leave the option out");
    }
  }

  static final class Converter implements ITypeConverter<ClusterDatastore> {
    @Override
    public ClusterDatastore convert(String text) {
      for (ClusterDatastore datastore : values()) {
        if (datastore.label().equals(text)) {
          return datastore;
        }
      }
      throw new TypeConversionException(
          "\"%s\" is not a datastore: use embedded or etcd".formatted(text));
    }
  }
}
