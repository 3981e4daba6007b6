package io.ocicat.bench;

import io.ocicat.datastore.DatastoreRequest;
import io.ocicat.datastore.RequestListener;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Counts the requests of one call, and how often it waited: concurrent requests count as one. */
final class RequestCount implements RequestListener {
  private final List<DatastoreRequest> requests = new ArrayList<>();

  @Override
  public void answered(DatastoreRequest request) {
    requests.add(request);
  }

  /** The longest sequence of requests each of which began after the previous one had ended. */
  int rounds() {
    int rounds = 0;
    long end = Long.MIN_VALUE;
    for (DatastoreRequest request :
        requests.stream().sorted(Comparator.comparingLong(DatastoreRequest::endNanos)).toList()) {
      if (request.startNanos() >= end) {
        rounds++;
        end = request.endNanos();
      }
    }
    return rounds;
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%d requests, %d round trips", requests.size(), rounds());
  }
}
