package io.ocicat.ipamserver;

import io.ocicat.ip.IpAddress;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Stores allocations and addresses in the database. Each change is one transaction and on the disk
 * when the method returns. Not thread-safe.
 */
final class AllocationStore implements AutoCloseable {
  private static final String COLUMNS =
      "id, network, container_id, if_name, node, pool, request, answer, lease_seconds, created_at,"
          + " expires_at";

  private final Database database;
  private final Sql sql;

  private AllocationStore(Database database) {
    this.database = database;
    this.sql = new Sql(database.connection());
  }

  static AllocationStore open(Path file) {
    return new AllocationStore(Database.open(file));
  }

  /** An address that is not free. */
  record Taken(IpAddress address, boolean resting) {}

  /** A filter for lists of allocations; null means any. */
  record Filter(@Nullable String network, @Nullable String node, @Nullable String containerId) {}

  List<Taken> taken() {
    return sql.query(
        "SELECT address, rests_till IS NOT NULL FROM address",
        _ -> {},
        row -> new Taken(IpAddress.parse(row.getString(1)), row.getBoolean(2)));
  }

  Optional<Allocation> find(AllocationKey key) {
    return sql
        .query(
            "SELECT %s FROM allocation WHERE network = ? AND container_id = ? AND if_name = ?"
                .formatted(COLUMNS),
            statement -> {
              statement.setString(1, key.network());
              statement.setString(2, key.containerId());
              statement.setString(3, key.ifName());
            },
            AllocationStore::allocation)
        .stream()
        .findFirst();
  }

  Optional<Allocation> find(long id) {
    return sql
        .query(
            "SELECT %s FROM allocation WHERE id = ?".formatted(COLUMNS),
            statement -> statement.setLong(1, id),
            AllocationStore::allocation)
        .stream()
        .findFirst();
  }

  /** Whether an allocation of this number ever existed. */
  boolean existed(long id) {
    return !sql.query(
            "SELECT 1 FROM sqlite_sequence WHERE name = 'allocation' AND seq >= ?",
            statement -> statement.setLong(1, id),
            _ -> true)
        .isEmpty();
  }

  /** Returns allocations in id order, those after {@code after}. */
  List<Allocation> list(Filter filter, long after, int limit) {
    return sql.query(
        ("SELECT %s FROM allocation WHERE id > ?1 AND (?2 IS NULL OR network = ?2)"
                + " AND (?3 IS NULL OR node = ?3) AND (?4 IS NULL OR container_id = ?4)"
                + " ORDER BY id LIMIT ?5")
            .formatted(COLUMNS),
        statement -> {
          statement.setLong(1, after);
          statement.setString(2, filter.network());
          statement.setString(3, filter.node());
          statement.setString(4, filter.containerId());
          statement.setInt(5, limit);
        },
        AllocationStore::allocation);
  }

  List<Allocation> expired(Instant now) {
    return sql.query(
        "SELECT %s FROM allocation WHERE expires_at <= ?".formatted(COLUMNS),
        statement -> statement.setLong(1, now.toEpochMilli()),
        AllocationStore::allocation);
  }

  List<IpAddress> rested(Instant now) {
    return sql.query(
        "SELECT address FROM address WHERE rests_till <= ?",
        statement -> statement.setLong(1, now.toEpochMilli()),
        row -> IpAddress.parse(row.getString(1)));
  }

  List<IpAddress> addressesOf(Allocation allocation) {
    return sql.query(
        "SELECT address FROM address WHERE allocation = ?",
        statement -> statement.setLong(1, allocation.id()),
        row -> IpAddress.parse(row.getString(1)));
  }

  /** Adds an allocation with free addresses; the database chooses its number. */
  Allocation add(Allocation wanted, List<IpAddress> addresses) {
    return sql.change(
        () -> {
          List<Long> id =
              sql.query(
                  """
                  INSERT INTO allocation (network, container_id, if_name, node, pool, request, answer,
                                          lease_seconds, created_at, expires_at)
                  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
                  """,
                  statement -> {
                    statement.setString(1, wanted.key().network());
                    statement.setString(2, wanted.key().containerId());
                    statement.setString(3, wanted.key().ifName());
                    statement.setString(4, wanted.node());
                    statement.setString(5, wanted.pool());
                    statement.setString(6, wanted.request());
                    statement.setString(7, wanted.answer());
                    statement.setLong(8, wanted.leaseSeconds());
                    statement.setLong(9, wanted.createdAt().toEpochMilli());
                    statement.setObject(10, millis(wanted.expiresAt()));
                  },
                  row -> row.getLong(1));
          for (IpAddress address : addresses) {
            endRest(address);
            sql.update(
                "INSERT INTO address (address, allocation) VALUES (?, ?)",
                address.toString(),
                id.getFirst());
          }
          return find(id.getFirst()).orElseThrow();
        });
  }

  /** Deletes allocations; their addresses are held back until {@code till}. */
  void release(List<Allocation> allocations, Instant till) {
    sql.change(
        () -> {
          for (Allocation allocation : allocations) {
            sql.update(
                "UPDATE address SET allocation = NULL, rests_till = ? WHERE allocation = ?",
                till.toEpochMilli(),
                allocation.id());
            sql.update("DELETE FROM allocation WHERE id = ?", allocation.id());
          }
          return allocations;
        });
  }

  /** Frees addresses whose hold is over. */
  void free(List<IpAddress> rested) {
    sql.change(
        () -> {
          rested.forEach(this::endRest);
          return rested;
        });
  }

  private void endRest(IpAddress address) {
    sql.update(
        "DELETE FROM address WHERE address = ? AND rests_till IS NOT NULL", address.toString());
  }

  void renew(Allocation renewed) {
    sql.change(
        () -> {
          sql.update(
              "UPDATE allocation SET lease_seconds = ?, expires_at = ? WHERE id = ?",
              renewed.leaseSeconds(),
              millis(renewed.expiresAt()),
              renewed.id());
          return renewed;
        });
  }

  private static @Nullable Long millis(@Nullable Instant instant) {
    return instant == null ? null : instant.toEpochMilli();
  }

  private static Allocation allocation(ResultSet row) throws SQLException {
    return new Allocation(
        row.getLong(1),
        new AllocationKey(row.getString(2), row.getString(3), row.getString(4)),
        row.getString(5),
        row.getString(6),
        row.getString(7),
        row.getString(8),
        row.getLong(9),
        Instant.ofEpochMilli(row.getLong(10)),
        row.getObject(11) instanceof Number millis
            ? Instant.ofEpochMilli(millis.longValue())
            : null);
  }

  @Override
  public void close() {
    database.close();
  }
}
