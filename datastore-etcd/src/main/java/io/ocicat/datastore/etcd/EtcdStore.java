package io.ocicat.datastore.etcd;

import io.ocicat.base.Deadline;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.CompactedException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.kv.Change;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.kv.KeyValuePage;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.KeyValueWatch;
import io.ocicat.datastore.kv.RangeQuery;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.kv.TransactionOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A key-value store in etcd 3.4 or newer. Connects on first use. One thread of its own serves the
 * connection; callers wait on theirs.
 */
public final class EtcdStore implements KeyValueStore {
  /** How many entries are requested at once, so that no response is large. */
  private static final int PAGE = 500;

  private static final int PAGING_ATTEMPTS = 3;

  private final EtcdEndpoints members;
  private final EtcdCalls calls;
  private final EtcdSettings settings;

  private EtcdStore(EtcdEndpoints members, EtcdCalls calls, EtcdSettings settings) {
    this.members = members;
    this.calls = calls;
    this.settings = settings;
  }

  public static EtcdStore open(DatastoreConfig.Etcd config) {
    return open(config, EtcdSettings.standard());
  }

  /**
   * Checks the configuration, but does not connect yet.
   *
   * @throws InvalidException when an endpoint is invalid, or a certificate cannot be read
   */
  public static EtcdStore open(DatastoreConfig.Etcd config, EtcdSettings settings) {
    List<Endpoint> given = config.endpoints().stream().map(Endpoint::parse).toList();
    Supplier<List<Endpoint>> endpoints =
        given.isEmpty() ? new SrvRecords("dns:", config.discoverySrv()) : () -> given;
    TlsFiles tls = new TlsFiles(config.tls());
    if (given.stream().anyMatch(Endpoint::tls)) {
      tls.context();
    }
    EtcdEndpoints members = new EtcdEndpoints(endpoints, tls, settings);
    EtcdAuth login = new EtcdAuth(config.username(), config.password());
    return new EtcdStore(members, new EtcdCalls(members, login, settings.timeout()), settings);
  }

  /** Opens a datastore in etcd. */
  public static Datastore openDatastore(DatastoreConfig.Etcd config) {
    return openDatastore(config, EtcdSettings.standard());
  }

  static Datastore openDatastore(DatastoreConfig.Etcd config, EtcdSettings settings) {
    return new KeyValueDatastore(open(config, settings));
  }

  @Override
  public Optional<KeyValue> get(String key) {
    EtcdResponse.Range answer = calls.read(Rpc.RANGE, EtcdRequest.Range.of(KeyRange.one(key)), key);
    return answer.values().stream().findFirst();
  }

  @Override
  public KeyValuePage range(RangeQuery query) {
    for (int attempt = 1; ; attempt++) {
      try {
        return readPages(query);
      } catch (CompactedException e) {
        // A compaction between two of our own pages: the current state is still available.
        if (query.revision() != 0 || attempt == PAGING_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private KeyValuePage readPages(RangeQuery query) {
    KeyRange keys = KeyRange.prefix(query.prefix());
    if (!query.after().isEmpty()) {
      keys = keys.after(query.after());
    }
    List<KeyValue> entries = new ArrayList<>();
    long revision = query.revision();
    while (true) {
      // etcd itself reports whether there are more, so the limit need not be one higher.
      int limit = query.limit() == 0 ? PAGE : Math.min(PAGE, query.limit() - entries.size());
      EtcdResponse.Range answer =
          calls.read(
              Rpc.RANGE,
              new EtcdRequest.Range(keys, limit, revision, 0, EtcdRequest.Range.Part.ENTRIES),
              "%s at revision %d".formatted(query.prefix(), revision));
      revision = revision == 0 ? answer.revision() : revision;
      entries.addAll(answer.values());
      boolean full = query.limit() != 0 && entries.size() == query.limit();
      if (full || !answer.more()) {
        return new KeyValuePage(revision, entries, answer.more());
      }
      keys = keys.after(answer.entries().getLast().key());
    }
  }

  @Override
  public TransactionOutcome commit(Transaction transaction) {
    EtcdRequest.Txn request =
        new EtcdRequest.Txn(transaction.conditions(), transaction.changes(), List.of());
    EtcdResponse.Txn answer;
    try {
      answer = calls.write(Rpc.TXN, request, describe(transaction));
    } catch (NotFoundException e) {
      throw new InvalidException(
          "%s is not written: its lease does not exist or has ended"
              .formatted(describe(transaction)),
          e);
    }
    if (answer.succeeded()) {
      return new TransactionOutcome.Committed(answer.revision(), answer.deleted());
    }
    Map<String, KeyValue> current = new HashMap<>();
    for (EtcdResponse.Range read : answer.ranges()) {
      read.values().forEach(entry -> current.put(entry.key(), entry));
    }
    return new TransactionOutcome.Refused(answer.revision(), current);
  }

  private static String describe(Transaction transaction) {
    List<String> keys = transaction.changes().stream().map(Change::key).toList();
    return switch (keys.size()) {
      case 0 -> "a transaction";
      case 1 -> keys.getFirst();
      default -> "%s and %d more".formatted(keys.getFirst(), keys.size() - 1);
    };
  }

  @Override
  public KeyValueWatch watch(String prefix, long from) {
    members.connection(Deadline.in(settings.timeout()));
    return new EtcdWatch(calls, prefix, from);
  }

  @Override
  public long grantLease(Duration ttl) {
    if (!ttl.isPositive()) {
      throw new InvalidException("a lease must last longer than " + ttl);
    }
    long seconds = ttl.plusSeconds(1).minusNanos(1).toSeconds();
    // An unused lease ends by itself, so granting twice does no harm.
    return calls.read(Rpc.LEASE_GRANT, new EtcdRequest.LeaseGrant(seconds), "a lease").id();
  }

  @Override
  public void keepAlive(long lease) {
    EtcdResponse.Lease answer =
        calls.read(Rpc.LEASE_KEEP_ALIVE, new EtcdRequest.Lease(lease), "lease " + lease);
    if (answer.seconds() <= 0) {
      throw new NotFoundException("lease " + lease + " does not exist or has ended");
    }
  }

  @Override
  public void revokeLease(long lease) {
    calls.write(Rpc.LEASE_REVOKE, new EtcdRequest.Lease(lease), "lease " + lease);
  }

  EtcdCalls calls() {
    return calls;
  }

  @Override
  public void close() {
    members.close();
  }
}
