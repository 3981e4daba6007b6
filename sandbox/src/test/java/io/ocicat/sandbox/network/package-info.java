@NullMarked
package io.ocicat.sandbox.network;

import org.jspecify.annotations.NullMarked;
