@NullMarked
package io.ocicat.conformance.lab;

import org.jspecify.annotations.NullMarked;
