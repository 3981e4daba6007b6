@NullMarked
package io.ocicat.conformance.report;

import org.jspecify.annotations.NullMarked;
