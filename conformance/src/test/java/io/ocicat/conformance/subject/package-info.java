@NullMarked
package io.ocicat.conformance.subject;

import org.jspecify.annotations.NullMarked;
