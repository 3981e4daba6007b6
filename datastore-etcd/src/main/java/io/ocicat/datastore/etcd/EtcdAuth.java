package io.ocicat.datastore.etcd;

import io.grpc.Metadata;
import io.ocicat.datastore.config.Secret;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Credentials for etcd, and the token that etcd issues for them. A token ends with its lifetime,
 * with the member that issued it, and with any change of etcd's users: then a new one is fetched.
 */
final class EtcdAuth {
  private final String user;
  private final Secret password;
  private final ReentrantLock fetching = new ReentrantLock();
  private volatile @Nullable String token;

  EtcdAuth(String user, Secret password) {
    this.user = user;
    this.password = password;
  }

  /** Returns the headers of a call, which the caller may add to. */
  Metadata headers(EtcdConnection connection, Duration limit) {
    Metadata headers = new Metadata();
    if (!user.isEmpty()) {
      headers.put(EtcdConnection.TOKEN, token(connection, limit));
    }
    return headers;
  }

  private String token(EtcdConnection connection, Duration limit) {
    String known = token;
    if (known != null) {
      return known;
    }
    fetching.lock();
    try {
      known = token;
      if (known == null) {
        known =
            connection
                .call(
                    Rpc.AUTHENTICATE,
                    new EtcdRequest.Authenticate(user, password.value()),
                    new Metadata(),
                    limit,
                    new AtomicBoolean())
                .token();
        token = known;
      }
      return known;
    } finally {
      fetching.unlock();
    }
  }

  /**
   * Discards the token of {@code headers}.
   *
   * @return false when there is none: logging in again would be in vain
   */
  boolean discard(Metadata headers) {
    String used = headers.get(EtcdConnection.TOKEN);
    if (used == null) {
      return false;
    }
    fetching.lock();
    try {
      if (used.equals(token)) {
        token = null;
      }
      return true;
    } finally {
      fetching.unlock();
    }
  }
}
