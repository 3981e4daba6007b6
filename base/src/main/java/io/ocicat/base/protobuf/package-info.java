/** Protobuf's wire format, for messages whose codecs are written by hand. */
@NullMarked
package io.ocicat.base.protobuf;

import org.jspecify.annotations.NullMarked;
