package io.ocicat.datastore.etcd;

import io.ocicat.datastore.error.UnavailableException;
import java.util.ArrayList;
import java.util.Hashtable;
import java.util.List;
import java.util.function.Supplier;
import javax.naming.Context;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.directory.InitialDirContext;

/**
 * Finds etcd's endpoints in DNS: the SRV records of {@code _etcd-client-ssl._tcp} and {@code
 * _etcd-client._tcp} of a domain, looked up again whenever a connection is needed.
 *
 * @param server the URL of the DNS server for JNDI; {@code dns:} for the machine's own
 */
record SrvRecords(String server, String domain) implements Supplier<List<Endpoint>> {
  private static final String TIMEOUT_MILLIS = "1000";
  private static final String TRIES = "2";

  @Override
  public List<Endpoint> get() {
    List<Endpoint> found = new ArrayList<>();
    String secure = lookUp(true, found);
    String plain = lookUp(false, found);
    if (found.isEmpty()) {
      throw new UnavailableException(
          "etcd cannot be found: DNS has no SRV records _etcd-client-ssl._tcp.%s (%s) or _etcd-client._tcp.%s (%s): correct etcd_discovery_srv, or use etcd_endpoints"
              .formatted(domain, secure, domain, plain),
          null);
    }
    return found;
  }

  /**
   * Returns why there are none. JNDI requires a Hashtable; from DNS it makes texts, never objects.
   */
  @SuppressWarnings({"BanJNDI", "JdkObsolete"})
  private String lookUp(boolean tls, List<Endpoint> found) {
    Hashtable<String, String> environment = new Hashtable<>();
    environment.put(Context.INITIAL_CONTEXT_FACTORY, "com.sun.jndi.dns.DnsContextFactory");
    environment.put(Context.PROVIDER_URL, server);
    environment.put("com.sun.jndi.dns.timeout.initial", TIMEOUT_MILLIS);
    environment.put("com.sun.jndi.dns.timeout.retries", TRIES);
    String name = (tls ? "_etcd-client-ssl._tcp." : "_etcd-client._tcp.") + domain;
    try {
      InitialDirContext dns = new InitialDirContext(environment);
      try {
        Attribute records = dns.getAttributes(name, new String[] {"SRV"}).get("SRV");
        if (records == null) {
          return "none";
        }
        NamingEnumeration<?> each = records.getAll();
        while (each.hasMore()) {
          found.add(endpoint(tls, String.valueOf(each.next())));
        }
        return "found";
      } finally {
        dns.close();
      }
    } catch (NamingException e) {
      return e.getClass().getSimpleName();
    }
  }

  /** Priority, weight, port and name, which ends with a dot. */
  private static Endpoint endpoint(boolean tls, String record) {
    String[] parts = record.strip().split(" ", -1);
    String host = parts[3].endsWith(".") ? parts[3].substring(0, parts[3].length() - 1) : parts[3];
    return new Endpoint(tls, host, Integer.parseInt(parts[2]));
  }
}
