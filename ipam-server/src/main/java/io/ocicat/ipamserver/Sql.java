package io.ocicat.ipamserver;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Executes SQL statements on one connection; failures are {@link StoreException}s. */
record Sql(Connection connection) {
  /** Sets the parameters of a query. */
  @FunctionalInterface
  interface Parameters {
    void set(PreparedStatement statement) throws SQLException;
  }

  /** Converts a row. */
  @FunctionalInterface
  interface Row<T> {
    T read(ResultSet row) throws SQLException;
  }

  /** The body of a transaction. */
  @FunctionalInterface
  interface Work<T> {
    T run();
  }

  /** Runs a transaction, all or nothing. */
  <T> T change(Work<T> work) {
    try {
      connection.setAutoCommit(false);
      try {
        T result = work.run();
        connection.commit();
        return result;
      } catch (SQLException | RuntimeException e) {
        try {
          connection.rollback();
        } catch (SQLException also) {
          e.addSuppressed(also);
        }
        throw e;
      } finally {
        connection.setAutoCommit(true);
      }
    } catch (SQLException e) {
      throw failure(e);
    }
  }

  void update(String text, @Nullable Object... values) {
    try (PreparedStatement statement = connection.prepareStatement(text)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      statement.executeUpdate();
    } catch (SQLException e) {
      throw failure(e);
    }
  }

  <T> List<T> query(String text, Parameters parameters, Row<T> reader) {
    try (PreparedStatement statement = connection.prepareStatement(text)) {
      parameters.set(statement);
      List<T> rows = new ArrayList<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          rows.add(reader.read(row));
        }
      }
      return rows;
    } catch (SQLException e) {
      throw failure(e);
    }
  }

  private static StoreException failure(SQLException e) {
    return new StoreException("the database failed: " + e.getMessage(), e);
  }
}
