/** gRPC on a Unix socket, for root alone, with messages as bytes. */
@NullMarked
package io.ocicat.cri.grpc;

import org.jspecify.annotations.NullMarked;
