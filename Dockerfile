# The binary alone: static, without CUDA (analysing traces and source needs none), not root.
#   docker build -t saturate . && docker run --rm -v "$PWD:/src" saturate scan
FROM golang:1.26 AS build
WORKDIR /saturate
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -tags nocuda -trimpath -ldflags "-s -w -buildid=" -o /out/saturate ./cmd/saturate && mkdir -m 1777 /out/tmp

FROM scratch
COPY --from=build /out/saturate /saturate
COPY --from=build /out/tmp /tmp
COPY LICENSE /LICENSE
USER 65532:65532
ENV HOME=/tmp
WORKDIR /src
ENTRYPOINT ["/saturate"]
