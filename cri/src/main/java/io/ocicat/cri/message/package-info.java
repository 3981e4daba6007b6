/** The messages of CRI v1 (protobuf package {@code runtime.v1}) as values, with their codecs. */
@NullMarked
package io.ocicat.cri.message;

import org.jspecify.annotations.NullMarked;
